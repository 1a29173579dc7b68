-- The journal and the rows that start-up and lists read. The tenant is part of every key from the start.
create table tasks (
  n integer primary key,
  tenant text not null,
  id text not null unique,
  goal text not null,
  status text not null,
  waits_for text,
  wake_at integer,
  open_questions integer not null,
  epoch integer not null,
  done integer not null,
  total integer not null,
  -- the last event, so that a lost tail is seen
  seq integer not null,
  created_at integer not null,
  updated_at integer not null,
  -- the caller's idempotency key and the hash of what was asked with it
  key text,
  fingerprint text
) strict;
create unique index tasks_by_key on tasks (tenant, key) where key is not null;
create index tasks_unfinished on tasks (status) where status not in ('completed', 'failed', 'cancelled', 'erased');
create index tasks_by_time on tasks (tenant, created_at);

-- One row an event. The position is global; the link binds an event to the one before it.
create table events (
  position integer primary key,
  task integer not null,
  seq integer not null,
  at integer not null,
  body text not null,
  link blob not null
) strict;
create unique index events_by_task on events (task, seq);

-- Which task needs which blob; a blob that no task needs is removed with the last one.
create table blob_uses (
  blob text not null,
  task integer not null,
  primary key (blob, task)
) strict, without rowid;
create index blob_uses_by_task on blob_uses (task);

-- Questions that wait for an answer.
create table questions (
  id text primary key,
  tenant text not null,
  task integer not null,
  asked_at integer not null,
  body text not null
) strict, without rowid;
