import CoreDataEngine
import Foundation
import Testing

@Suite struct RoundTripTests {
    @Test func `rows come back as they were saved, with one SELECT for a fetch`() throws {
        let fixture = try StoreFixture()
        try fixture.insert("Author", [["name": .string("Ada"), "born": .integer(1815)]])
        fixture.log.forget()
        let plan = try fixture.plan("Author")
        #expect(try fixture.values("name", plan) == [.string("Ada")])
        #expect(
            fixture.log.take() == ["SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZBORN, t0.ZNAME FROM ZAUTHOR t0"])
        #expect(try fixture.values("born", plan) == [.integer(1815)])
    }
}
