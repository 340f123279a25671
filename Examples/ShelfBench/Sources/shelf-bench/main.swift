import FaultlineBench
import Shelf

FaultlineBench.main([
    BenchWorkload(
        "first-screen", about: "Every shelf with the titles of its books.", model: Shelves.model,
        prepare: { try Shelves.fill($0, count: 500) },
        run: { UInt64(try Shelves.titles(in: $0).joined().count) }),
    BenchWorkload(
        "new-shelf", about: "A shelf with ten books is made and saved.", model: Shelves.model,
        prepare: { _ in },
        run: { context in
            try Shelves.fill(context, count: 1)
            return 11
        }),
])
