import BenchOperations
import Foundation
import LabBench
import LabFiles
import Testing

private let operationNames: String = {
    BuiltInOperations.add()
    return (KnownOperations.all.map(\.name) + ["fetch"]).joined(separator: ", ")
}()

@Suite struct WorkloadFileTests {
    let file = """
        name: batches
        about: A sentence.
        operation: batch-faults
        data: {authors: 30, title-bytes: 12}
        parameters:
          batch: [20, 100]
        expect:
          select: ceil(authors * books / batch) + 1
        presets:
          smoke: {books: 3}
        """

    init() { BuiltInOperations.add() }

    @Test func `a file unfolds into one variant for each swept value`() throws {
        let workload = try WorkloadFile.parse(file, file: "batches.yaml")
        #expect(workload.name == "batches")
        #expect(workload.operation.name == "batch-faults")
        let variants = workload.variants
        #expect(variants.map(\.name) == ["batch=20", "batch=100"])
        #expect(variants[1].integer("batch") == 100)
        #expect(variants[1].word("twin") == "in-list")
        let shape = DataShape(authors: 30, books: 100, titleBytes: 12, seed: 1)
        #expect(variants.allSatisfy { $0.shape == shape })
        let select = try #require(workload.expectations.first)
        #expect(select.count == .select)
        #expect(try variants.map { try select.expression.value($0.numbers) } == [151, 31])
    }

    @Test func `a preset changes the settings that it names and no others`() throws {
        let workload = try WorkloadFile.parse(file, file: "batches.yaml")
        #expect(workload.applying(preset: "smoke").variants[0].shape.books == 3)
        #expect(workload.applying(preset: "smoke").variants[0].shape.authors == 30)
        #expect(workload.applying(preset: "full").variants[0].shape.books == 100)
    }

    @Test func `two sweeps create every combination, the last changing fastest`() throws {
        let text = file.replacing("authors: 30", with: "authors: [1, 2]")
        let workload = try WorkloadFile.parse(text, file: "x.yaml")
        #expect(
            workload.variants.map(\.name) == [
                "authors=1 batch=20", "authors=1 batch=100", "authors=2 batch=20",
                "authors=2 batch=100",
            ])
    }

    @Test func `a word in an expression is 1 if the variant has it`() throws {
        let text = """
            name: n
            about: A sentence.
            operation: read-to-many
            parameters: {touch: [count, all]}
            expect: {select: 1 + all * 10}
            """
        let workload = try WorkloadFile.parse(text, file: "x.yaml")
        let expression = try #require(workload.expectations.first?.expression)
        #expect(try workload.variants.map { try expression.value($0.numbers) } == [1, 11])
    }

    @Test(arguments: [
        ("", "bad.yaml:1:1: the file is empty; write `name:`, `about:` and `operation:`"),
        ("- a", "bad.yaml:1:1: a workload is not a mapping; write `key: value` lines"),
        ("name: [", "bad.yaml:2:1: did not find expected node content; write valid YAML"),
        ("name: a\nabout: b", "bad.yaml:1:1: the key `operation` is missing; write `operation: …`"),
        (
            "name: a\ncolour: b",
            "bad.yaml:2:1: `colour` is not a key of a workload; "
                + "write one of name, about, operation, data, parameters, expect, presets, model, "
                + "objects, fetch"
        ),
        (
            "name: a b\nabout: b\noperation: insert",
            "bad.yaml:1:7: `a b` is not a name; write letters, digits and hyphens"
        ),
        (
            "name: a\nabout: b\noperation: fetch-all",
            "bad.yaml:3:12: `fetch-all` is not an operation; write one of \(operationNames)"
        ),
        (
            "name: a\nabout: b\noperation: insert\ndata: {authors: many}",
            "bad.yaml:4:17: `many` is not a value for authors; "
                + "write a whole number from 1 to 1000000"
        ),
        (
            "name: a\nabout: b\noperation: full-fetch\nparameters: {batch: 3}",
            "bad.yaml:4:14: `batch` does not belong under `parameters`; remove it"
        ),
        (
            "name: a\nabout: b\noperation: batch-faults\nparameters:\n  batch: [1, 0]",
            "bad.yaml:5:14: `0` is not a value for batch; write a whole number from 1 to 1000000"
        ),
        (
            "name: a\nabout: b\noperation: batch-faults\nparameters: {batch: [1, 1]}",
            "bad.yaml:4:25: `1` is in the list twice; keep one of them"
        ),
        (
            "name: a\nabout: b\noperation: batch-faults\nparameters: {batch: []}",
            "bad.yaml:4:21: the list for batch is empty; write a whole number from 1 to 1000000"
        ),
        (
            "name: a\nabout: b\noperation: read-to-many\nparameters: {touch: some}",
            "bad.yaml:4:21: `some` is not a value for touch; write one of count, all"
        ),
        (
            "name: a\nabout: b\noperation: insert\nexpect: {joins: 1}",
            "bad.yaml:4:10: `joins` is not a count; write one of select, insert, update, delete, "
                + "statements, rows, faults, row-cache-hits, relationship-faults, prefetches"
        ),
        (
            "name: a\nabout: b\noperation: full-fetch\nexpect:\n  select: 1 + pages",
            "bad.yaml:5:15: `pages` is not known; "
                + "write a number, ceil(…) or one of authors, books, seed, title-bytes"
        ),
        (
            "name: a\nabout: b\noperation: insert\nexpect:\n  select: \"1 +\"",
            "bad.yaml:5:15: the expression ends too early; write a number or a name here"
        ),
        (
            "name: a\nabout: b\noperation: insert\npresets: {tiny: {}}",
            "bad.yaml:4:11: `tiny` is not a preset; write one of smoke, quick, full"
        ),
        (
            "name: a\nname: b",
            "bad.yaml:1:1: the key `name` is written twice; keep one of them"
        ),
    ])
    func `a bad file is refused with location, problem and remedy`(text: String, message: String) {
        let error = #expect(throws: InputError.self) {
            try WorkloadFile.parse(text, file: "bad.yaml")
        }
        #expect(error?.description == message)
    }

    @Test(arguments: [Data([0xFF, 0xFE, 0x00]), Data([0x61, 0x00, 0x62])])
    func `bytes that are not text are refused`(bytes: Data) {
        let error = #expect(throws: InputError.self) {
            try WorkloadFile.parse(bytes, file: "bad.yaml")
        }
        #expect(error?.problem == "the file is not UTF-8 text")
    }

    @Test func `a good file cut at any byte does not crash the reader`() {
        let bytes = Data(file.utf8)
        for end in bytes.indices {
            _ = try? WorkloadFile.parse(bytes.prefix(end), file: "cut.yaml")
        }
    }

    @Test func `files that cannot be used are all reported together`() {
        let errors = #expect(throws: InputErrors.self) {
            try WorkloadFile.load(["nowhere/a.yaml", "nowhere/b.yaml"])
        }
        #expect(errors?.errors.map(\.file) == ["nowhere/a.yaml", "nowhere/b.yaml"])
    }
}

@Suite struct ParameterOverrideTests {
    init() { BuiltInOperations.add() }

    private func workloads() throws -> [Workload] {
        [
            try WorkloadFile.parse(
                "{name: a, about: b, operation: batch-faults}", file: "a.yaml"),
            try WorkloadFile.parse("{name: b, about: b, operation: insert}", file: "b.yaml"),
        ]
    }

    @Test func `an override reaches every workload that has the parameter`() throws {
        var workloads = try workloads()
        try ParameterOverride("books=5").apply(to: &workloads)
        try ParameterOverride("batch=7,8").apply(to: &workloads)
        #expect(workloads.map { $0.variants[0].shape.books } == [5, 5])
        #expect(workloads.map { $0.variants.map(\.name) } == [["batch=7", "batch=8"], ["insert"]])
    }

    @Test(arguments: ["books", "books=", "=3", "books=1,", "books=x", "bocks=1", "books=1,1"])
    func `an override without an effect is refused`(argument: String) throws {
        var workloads = try workloads()
        #expect(throws: InputError.self) {
            try ParameterOverride(argument).apply(to: &workloads)
        }
    }

    @Test(arguments: [
        (
            "data: {authors: [AUTHORS], books: [BOOKS]}",
            "the parameters have more than 1000 combinations"
        ),
        (
            "data: {authors: 100000, books: 1000}",
            "100000 authors with 1000 books each exceed the limit"
        ),
        (
            "data: {authors: 1000, books: 1000, title-bytes: 100000}",
            "the titles take more than 4000000000 bytes"
        ),
        (
            "presets: {full: {authors: 1000000, books: 1000000}}",
            "1000000 authors with 1000000 books each exceed the limit"
        ),
    ])
    func `a workload that asks for more than a machine has is refused`(
        line: String, problem: String
    ) {
        let list = (1...40).map(String.init).joined(separator: ", ")
        let line = line.replacing("AUTHORS", with: list).replacing("BOOKS", with: list)
        let error = #expect(throws: InputError.self) {
            try WorkloadFile.parse(
                "name: a\nabout: b\noperation: insert\n\(line)\n", file: "a.yaml")
        }
        #expect(error?.problem == problem)
        #expect(error?.line == 4)
    }

    @Test func `an alias that unfolds without end, also as a key, is refused`() {
        var text = "a0: &a0 [l, l]\n"
        for level in 1..<40 {
            text += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1)]\n"
        }
        let error = #expect(throws: InputError.self) {
            try WorkloadFile.parse(text + "z: {*a39 : 1}\n", file: "a.yaml")
        }
        #expect(error?.problem.contains("unfolds to more than 100000 values") == true)
        let sum = Array(repeating: "1", count: 5_000).joined(separator: " + ")
        let long = #expect(throws: InputError.self) {
            try WorkloadFile.parse(
                "name: a\nabout: b\noperation: insert\nexpect: {statements: '\(sum)'}\n",
                file: "a.yaml")
        }
        #expect(long?.problem == "the expression has more than 200 operators")
    }
}
