"""Makes shop.db: three customers and six orders."""
import sqlite3

db = sqlite3.connect("shop.db")
db.executescript(
    """
    drop table if exists orders;
    drop table if exists customers;
    create table customers (id integer primary key, name text not null, city text not null);
    create table orders (
        id integer primary key,
        customer_id integer not null references customers (id),
        day text not null,
        amount real not null
    );
    insert into customers values (1, 'Ann', 'Hangzhou'), (2, 'Bo', 'Hangzhou'), (3, 'Chen', 'Ningbo');
    insert into orders values
        (1, 1, '2024-03-01', 120.5), (2, 1, '2024-03-09', 80.0), (3, 2, '2024-03-02', 15.25),
        (4, 3, '2024-03-04', 300.0), (5, 3, '2024-04-01', 42.0), (6, 2, '2024-04-03', 9.75);
    """
)
db.commit()
