import LabResults
import LabRunner
import Testing

@Suite struct MatrixTests {
    /// A scenario in which V adds to the value that it read before the merge. With the merge, V
    /// saves without a conflict and overwrites the change of B. Without it, the save fails.
    private let text = """
        name: hidden
        bug: MB-99
        about: Both additions count.
        model: {entities: {Account: {attributes: {n: integer64}}}}
        contexts: {V: {policy: $policy}, B: {policy: $policy}}
        matrix: {policy: [error]}
        setup: [insert Account as a with n = 10]
        sessions:
          view:
            context: V
            steps: {v1: read a.n -> seen, v2: set a.n = seen + 7, v3: merge all from B, v4: save}
          other: {context: B, steps: {b1: set a.n = a.n + 5, b2: save}}
        observe: {n: read Account.n, view: status v4, other: status b2}
        outcomes:
          - {grade: acceptable, is: {n: 22}, because: both count}
          - {grade: acceptable, is: {view: 133020}, because: V is told}
          - {grade: acceptable, is: {other: 133020}, because: B is told}
          - {grade: interesting, is: {n: 17}, because: the other five are gone}
        """

    @Test func `a cell with an error also shows a graded silent loss`() throws {
        let matrix = try withScenario(text) { try suite().matrix([$0]) }
        let cell = try #require(matrix.rows.first?.cells.first)
        #expect(cell.classification == .error(code: 133_020))
        #expect(cell.loss?.text == "n = 17")
        #expect(cell.loss?.token != nil)
        #expect(cell.summary.hasSuffix("; silently lost: n = 17"))
        #expect(cell.marks == "error 133020, silently lost")
    }

    @Test func `a loss that the file accepts is not shown next to an error`() throws {
        let accepted = text.replacing("grade: interesting", with: "grade: acceptable")
        let matrix = try withScenario(accepted) { try suite().matrix([$0]) }
        let cell = try #require(matrix.rows.first?.cells.first)
        #expect(cell.classification == .error(code: 133_020))
        #expect(cell.loss == nil)
    }
}
