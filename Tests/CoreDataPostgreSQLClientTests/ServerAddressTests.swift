import CoreDataPostgreSQLClient
import Testing

@Suite struct ServerAddressTests {
    @Test func `an address is divided into the store's options and libpq's`() throws {
        let address = try ServerAddress(
            "postgresql://ann@db.net:5433/shop?schema=my%20library&sslmode=require&pool=3")
        #expect(address.database == "shop")
        #expect(address.schema == "my library")
        #expect(address.options == ["schema": "my library", "pool": "3"])
        #expect(try ConnectionPool.Limits(address).size == 3)
        #expect(
            address.description
                == "postgresql://ann@db.net:5433/shop?schema=my%20library&sslmode=require&pool=3"
        )
    }

    @Test(arguments: [
        ("postgresql:///shop", "shop"), ("postgres:///shop", "shop"),
        ("POSTGRESQL:///shop?host=/run/postgresql", "shop"), ("postgresql://h/a%2Fb", "a/b"),
        ("postgresql://[::1]:5432/shop", "shop"), ("postgresql://a,b:5433/shop", "shop"),
        ("postgresql://ann:secret@/caf%C3%A9", "café"),
    ])
    func `forms of addresses are read`(_ text: String, _ database: String) throws {
        let address = try ServerAddress(text)
        #expect(address.database == database)
        #expect(address.schema == "public")
    }

    @Test(arguments: [
        ("mysql://h/shop", "does not begin with 'postgresql://'"),
        ("shop", "does not begin with 'postgresql://'"),
        ("postgresql:shop", "'//' is missing"),
        ("postgresql:/shop", "write postgresql:///shop"),
        ("postgresql://shop?schema=a", "'shop' is the host, and the database has no name"),
        ("postgresql://", "the database has no name"),
        ("postgresql://h/shop/library", "write the schema as ?schema=…"),
        ("postgresql://h/shop?schema", "the option 'schema' has no value"),
        ("postgresql://h/shop?schema=", "the schema has no name"),
        ("postgresql://h/shop?schema=pg_temp", "belongs to PostgreSQL"),
        ("postgresql://h/shop?schema=a&schema=b", "occurs twice"),
        ("postgresql://h/shop?schema=%zz", "a '%' that begins no code"),
        ("postgresql://h/my shop", "write %20"),
        ("postgresql://h:port/shop", "the port behind the host is not a number"),
        ("postgresql://h:99999/shop", "the port behind the host is not a number"),
        ("postgresql://h/shop?connect_timeout=soon", "connect_timeout=10"),
    ])
    func `a mistake is reported with its remedy`(_ text: String, _ part: String) {
        let error = #expect(throws: ServerError.self) { try ServerAddress(text) }
        #expect(error?.description.contains(part) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: [
        "postgresql://ann:pass@word@h/shop", "postgresql://ann:pass/word@h/shop",
        "postgresql://ann:pass#word@h/shop", "postgresql://ann:pass?word@h/shop",
        "postgresql://ann:pass:word/shop",
    ])
    func `a password with unwritten codes is reported but not shown`(_ text: String) {
        let error = #expect(throws: ServerError.self) { try ServerAddress(text) }
        #expect(error?.description.contains("%40") == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("pass") == true)
        #expect(error?.description.contains("word@") == false)
        #expect(error?.description.contains(":pass") == false)
    }

    @Test func `no text of an address shows a password`() throws {
        let address = try ServerAddress(
            "postgresql://ann:topsecret@h/shop?sslpassword=hidden1&password=hidden2&schema=a")
        let texts = [
            "\(address)", String(reflecting: address),
            String(describing: Mirror(reflecting: address)),
        ]
        var dumped = ""
        dump(address, to: &dumped)
        for text in texts + [dumped] {
            for secret in ["topsecret", "hidden1", "hidden2"] {
                #expect(!text.contains(secret), "\(text)")
            }
        }
        #expect(address.description == "postgresql://ann@h/shop?schema=a")
    }

    @Test func `options with other values are refused`() throws {
        let address = try ServerAddress("postgresql:///shop?pool=many&prepare=maybe&pool_wait=5")
        let size = #expect(throws: ServerError.self) { try ConnectionPool.Limits(address) }
        #expect(size?.message.contains("'pool=many' is not a number from 1 to 10000") == true)
        let prepare = #expect(throws: ServerError.self) { try address.isOn("prepare") }
        #expect(prepare?.message.contains("write prepare=on or prepare=off") == true)
        #expect(try ServerAddress("postgresql:///shop?prepare=off").isOn("prepare") == false)
        #expect(try ServerAddress("postgresql:///shop?prepare=on").isOn("prepare") == true)
        #expect(try ServerAddress("postgresql:///shop").isOn("prepare") == nil)
    }
}

@Suite struct LibraryTests {
    @Test func `a missing library is reported with its file and package`() {
        let error = #expect(throws: ServerError.self) {
            try Library(file: "libpq-missing.so.5")
        }
        #expect(error?.message.contains("libpq-missing.so.5") == true)
        #expect(error?.message.contains("libpq5") == true)
    }

    @Test func `a library without the functions is refused`() {
        let error = #expect(throws: ServerError.self) { try Library(file: "libm.so.6") }
        #expect(error?.message.contains("has no function PQ") == true)
    }
}
