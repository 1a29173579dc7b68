//! Tables of texts and the values found in them, each as `kind value`.

use super::*;

/// Returns the values of a text in one line, without plain words.
fn told(text: &str) -> String {
    let said = values(text).into_iter().filter(|said| said.kind != ValueKind::Word);
    said.map(|said| one(&said)).collect::<Vec<_>>().join(" | ")
}

fn one(said: &FoundValue) -> String {
    let value = said.value.as_str().map_or_else(|| said.value.to_string(), str::to_owned);
    let unit = said.unit.as_ref().map(|unit| format!(" [{unit}]")).unwrap_or_default();
    let key = said.key.as_ref().map(|key| format!("{key}=")).unwrap_or_default();
    format!("{:?} {key}{value}{unit}", said.kind)
}

fn check(cases: &[(&str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter(|(text, expected)| told(text) != *expected)
        .map(|(text, expected)| format!("{text}\n  wanted {expected}\n  found  {}", told(text)))
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn quotes_of_all_kinds_are_found_and_apostrophes_are_none() {
    check(&[
        ("say \"hello there\" now", "Quote hello there"),
        ("find 'red shoes'", "Quote red shoes"),
        ("run `ls -l`", "Quote ls -l"),
        ("播放“晴天”", "Quote 晴天"),
        ("播放‘晴天’", "Quote 晴天"),
        ("查「天气」，再看『新闻』", "Quote 天气 | Quote 新闻"),
        ("《三体》的作者", "Quote 三体"),
        ("le «mot» ici", "Quote mot"),
        ("don't do what John's dog didn't", "Name John"),
        ("don't say 'it's fine'", "Quote it's fine"),
        ("a 12\" pipe", "Number 12"),
        ("an open \"quote", ""),
        ("\"a \\\"b\\\" c\"", "Quote a \\\"b\\\" c"),
        ("name=\"\"", "Quote name="),
    ]);
}

#[test]
fn dates_are_given_as_iso_in_both_languages() {
    check(&[
        ("on 2026-03-02", "Date 2026-03-02"),
        ("on 2026/3/2", "Date 2026-03-02"),
        ("on 03/02/2026", "Date 2026-03-02"),
        ("on 13/02/2026", "Date 2026-02-13"),
        ("on March 2, 2026", "Date 2026-03-02"),
        ("on the 2nd of March 2026", "Date 2026-03-02"),
        ("on 2 Mar 2026.", "Date 2026-03-02"),
        ("on Mar. 2nd, 2026", "Date 2026-03-02"),
        ("2026年3月2日", "Date 2026-03-02"),
        ("２０２６年３月２日", "Date 2026-03-02"),
        ("二〇二六年三月二日", "Date 2026-03-02"),
        ("三月二日开会", "Date 03-02"),
        ("on September 5th", "Date 09-05"),
        ("in 2026-03", "Date 2026-03"),
        ("in March 2026", "Date 2026-03"),
        ("2026年3月", "Date 2026-03"),
        ("in 1998", "Date 1998 | Number 1998"),
        ("1998年", "Date 1998 | Number 1998 [年]"),
        ("on 20260302", "Date 2026-03-02 | Number 20260302"),
        ("in March", "Date March"),
        ("三月份", "Date 三月份"),
        ("from 2026-03-02 to 2026-03-05", "Date 2026-03-02 | Date 2026-03-05"),
        ("从2026年3月2日到2026年3月5日", "Date 2026-03-02 | Date 2026-03-05"),
        ("2026-03-02~2026-03-05", "Date 2026-03-02 | Date 2026-03-05"),
        ("between 2019 and 2021", "Date 2019 | Number 2019 | Date 2021 | Number 2021"),
        ("on 2026-02-30", "Id 2026-02-30"),
        (
            "tomorrow, next Friday",
            "List [\"tomorrow\",\"next Friday\"] | Date tomorrow | Date next Friday",
        ),
        ("昨天和下周五", "List [\"昨天\",\"下周五\"] | Date 昨天 | Date 下周五"),
        ("3 days ago", "Date 3 days ago"),
        ("三天后", "Date 三天后"),
    ]);
}

#[test]
fn times_of_day_stand_alone_or_with_their_date() {
    check(&[
        ("at 10:30", "Time 10:30"),
        ("at 10:30 am", "Time 10:30"),
        ("at 12:05 AM", "Time 00:05"),
        ("at 3pm", "Time 15:00"),
        ("at 3 p.m.", "Time 15:00"),
        ("下午3点半", "Time 15:30"),
        ("晚上八点一刻", "Time 20:15"),
        ("上午10：30", "Time 10:30"),
        ("8点15分", "Time 08:15"),
        ("2026-03-02 10:30", "DateTime 2026-03-02T10:30 | Date 2026-03-02 | Time 10:30"),
        ("2026-03-02T10:30:00Z", "DateTime 2026-03-02T10:30:00Z | Date 2026-03-02 | Time 10:30:00"),
        ("March 2, 2026 at 3pm", "DateTime 2026-03-02T15:00 | Date 2026-03-02 | Time 15:00"),
        ("3pm on March 2, 2026", "DateTime 2026-03-02T15:00 | Time 15:00 | Date 2026-03-02"),
        ("2026年3月2日下午3点半", "DateTime 2026-03-02T15:30 | Date 2026-03-02 | Time 15:30"),
        ("明天下午3点", "Date 明天 | Time 15:00"),
        ("三点建议", "Number 3 [点]"),
        ("at 25:99", "Number 25 | Number 99"),
    ]);
}

#[test]
fn numbers_are_found_in_digits_and_words_with_their_units() {
    check(&[
        ("take 1,234.5 of it", "Number 1234.5"),
        ("at -3 or +4", "List [-3,4] | Number -3 | Number 4"),
        ("1e6 .5", "Number 1000000 | Number 0.5"),
        ("two and twenty-five", "List [2,25] | Number 2 | Number 25"),
        ("three hundred and five items", "Number 305 [items]"),
        ("a dozen eggs", "Number 12"),
        ("2 million people", "Number 2000000 [people]"),
        ("三十", "Number 30"),
        ("一百二十", "Number 120"),
        ("两万五千", "Number 25000"),
        ("3.5万", "Number 35000"),
        ("1.2亿", "Number 120000000"),
        ("1/2", "Number 0.5"),
        ("the 3rd floor", "Number 3"),
        ("the third floor", "Number 3"),
        ("第三个", "Number 3"),
        ("10 km and 5MW", "List [10,5] [MW] | Number 10 [km] | Number 5 [MW]"),
        ("24小时", "Span 24小时 [小时] | Number 24 [小时]"),
        ("for 48 hours", "Span 48 hours [hours] | Number 48 [hours]"),
        ("三天", "Span 三天 [天] | Number 3 [天]"),
        ("62.6 kN/m^3", "Number 62.6 [kN/m^3]"),
        ("30 degrees Celsius", "Number 30 [degrees Celsius]"),
        ("a 30-minute call", "Span 30-minute [minute] | Number 30 [minute]"),
        ("$1,200.50", "Money 1200.5 [$]"),
        ("1200 USD", "Money 1200 [USD] | Name USD"),
        ("￥300", "Money 300 [¥]"),
        ("300元", "Money 300 [元]"),
        ("5000 US dollars", "Money 5000 [US dollars]"),
        ("$100,000 - $500,000", "Money 100000 [$] | Money 500000 [$]"),
        ("5%", "Percent 5 [%]"),
        ("５％", "Percent 5 [%]"),
        ("5 percent", "Percent 5 [%]"),
        ("百分之五", "Percent 5 [%]"),
        ("from 3 to 5", "Number 3 | Number 5"),
        ("7-9 of 1~2", "Number 7 | Number 9 | Number 1 | Number 2"),
        ("in 2000 USD", "Money 2000 [USD] | Name USD"),
        ("从3到5", "Number 3 | Number 5"),
        ("between 3 and 5", "Number 3 | Number 5"),
        ("zip 007", "Id 007"),
        ("123456789012345678901", "Id 123456789012345678901"),
        ("统一一下，万一三明治", ""),
        ("First, one of them", ""),
    ]);
}

#[test]
fn addresses_files_and_identifiers_are_found_as_they_were_written() {
    check(&[
        ("see https://example.org:8080/x?a=1&b=2.", "Url https://example.org:8080/x?a=1&b=2"),
        ("打开https://a.b/c，然后", "Url https://a.b/c"),
        ("www.example.com is up", "Url www.example.com"),
        ("ping example.com", "Url example.com"),
        ("mail a.b@c-d.org.", "Email a.b@c-d.org"),
        ("read /data/load.csv.", "Path /data/load.csv"),
        ("read data/x.csv and ./y", "List [\"data/x.csv\",\"./y\"] | Path data/x.csv | Path ./y"),
        ("读取load.csv并分析", "Path load.csv"),
        ("读取负荷数据.csv", "Path 负荷数据.csv"),
        ("文件 /data/load.csv预测未来", "Path /data/load.csv"),
        ("C:\\x\\y.txt", "Path C:\\x\\y.txt"),
        ("~/notes/a.md", "Path ~/notes/a.md"),
        ("all *.csv in logs/**/*.log", "Path *.csv | Path logs/**/*.log"),
        ("and/or m/s e.g. that", ""),
        ("call +1 555-123-4567", "Phone +1 555-123-4567"),
        ("call (555) 123-4567", "Phone (555) 123-4567"),
        ("打13812345678", "Phone 13812345678 | Number 13812345678"),
        ("010-12345678", "Phone 010-12345678"),
        ("order ABC-123", "Id ABC-123"),
        ("invoice INV-2023-001", "Id INV-2023-001"),
        ("flight CA123", "Id CA123"),
        ("3fa85f64-5717-4562-b3fc-2c963f66afa6", "Id 3fa85f64-5717-4562-b3fc-2c963f66afa6"),
        ("commit 4deb82f1", "Id 4deb82f1"),
        ("DE89 3704 0044 0532 0130 00", "Id DE89 3704 0044 0532 0130 00"),
        ("host 192.168.1.1", "Id 192.168.1.1"),
        ("the housing_data set", "Id housing_data"),
        ("variant CYP2C19*2", "Id CYP2C19*2"),
        ("colour #ff8800", "Id #ff8800"),
    ]);
}

#[test]
fn names_are_capitals_in_a_row_and_not_the_beginnings_of_sentences() {
    check(&[
        ("Find hotels in New York City.", "Name New York City"),
        ("I met John Smith's dog", "Name John Smith"),
        ("work at the Bank of America", "Name Bank of America"),
        ("buy an iPhone 12", "Name iPhone 12 | Name iPhone | Number 12"),
        ("ask Dr. J. K. Rowling", "Name Dr. J. K. Rowling"),
        ("I think I'm late. Please help", ""),
        ("fly to Boston, MA", "List [\"Boston\",\"MA\"] | Name Boston, MA | Name Boston | Name MA"),
        ("Send it on Monday to Ann", "Date Monday | Name Ann"),
    ]);
}

#[test]
fn lists_are_one_value_and_their_elements_too() {
    check(&[
        ("[1, 2, 3]", "List [1,2,3] | Number 1 | Number 2 | Number 3"),
        ("1, 2 and 3", "List [1,2,3] | Number 1 | Number 2 | Number 3"),
        ("3、5、8", "List [3,5,8] | Number 3 | Number 5 | Number 8"),
        ("1,2,3", "List [1,2,3] | Number 1 | Number 2 | Number 3"),
        ("\"a\", \"b\" and \"c\"", "List [\"a\",\"b\",\"c\"] | Quote a | Quote b | Quote c"),
        ("“甲”和“乙”", "List [\"甲\",\"乙\"] | Quote 甲 | Quote 乙"),
        (
            "to Paris, London and Rome",
            "List [\"Paris\",\"London\",\"Rome\"] | Name Paris, London | Name Paris | Name London | Name Rome",
        ),
        ("with climate, energy and policy", "List [\"climate\",\"energy\",\"policy\"]"),
        ("查询温度、湿度和风速", "List [\"温度\",\"湿度\",\"风速\"]"),
        ("[a, 'b', 3]", "List [\"a\",\"b\",3] | Quote b | Number 3"),
        ("{\"a\": [1, 2]}", "Json {\"a\":[1,2]}"),
        ("run 'x in [1, 2]' now", "Quote x in [1, 2]"),
    ]);
}

#[test]
fn values_have_the_keys_under_which_they_were_given() {
    check(&[
        ("城市：杭州，天数=7", "Number 天数=7"),
        ("city: New York, days: 7.", "Name city=New York | Number days=7"),
        ("dry: yes, 开启：否", "Boolean dry=true | Boolean 开启=false"),
        ("verbose=true", "Boolean verbose=true"),
        ("ids=[1, 2]", "List ids=[1,2] | Number 1 | Number 2"),
        ("the patient's ID is ASD123", "Id ID=ASD123"),
        ("my account number is 123456", "Number account number=123456"),
        ("把温度设为30度", "Number 温度=30 [度]"),
        ("起始日期为2026-03-02，步长是5", "Date 起始日期=2026-03-02 | Number 步长=5"),
        ("when=\"2026-03-02\"", "Quote when=2026-03-02 | Date when=2026-03-02"),
        ("what is 5", "Number 5"),
        ("password: abc123", "Id abc123"),
        ("say 'a=1' now", "Quote a=1"),
    ]);
    let said = values("城市为杭州");
    assert_eq!(said.iter().map(one).collect::<Vec<_>>(), ["Word 城市", "Word 城市=杭州"]);
    let said = values("what about climate policy in Peru");
    assert_eq!(
        said.iter().map(one).collect::<Vec<_>>(),
        ["Word climate policy", "Word climate", "Word policy", "Name Peru"]
    );
    let said = values("备注: 今天很好");
    assert!(said.iter().any(|said| one(said) == "Word 备注=今天很好"), "{said:?}");
}
