/// A scenario file from which inputs are generated.
enum ScenarioSeed {
    static let text = """
        name: sent-again
        kind: Merge notifications
        about: >-
          A session that was sent is sent again before it is purged.
        refs:
          - https://example.org/pull/1
        model:
          entities:
            Session:
              attributes:
                endDate: string
                isPending: boolean required default false
        contexts:
          V: {queue: main, policy: objectTrump, automerge: $automerge}
          B1: {policy: objectTrump}
        matrix:
          automerge: [false, true]
        setup:
          - insert Session as s with isPending = true
        sessions:
          sender:
            context: V
            steps:
              v1: read s.endDate -> sent
              v2: read s.endDate -> again; unless again set s.isPending = false
              v3: save
          app:
            context: B1
            steps:
              b1: set s.isPending = true, s.endDate = "noon"
              b2: save
        observe:
          end: read Session.endDate
          pending: read Session.isPending
          sent: value sent
          app-save: status b2
        headline: [end, pending]
        outcomes:
          - grade: acceptable
            is: {end: noon, pending: true}
            because: The session will be sent again with its end.
          - grade: defect
            is: {end: noon, pending: false, sent: nil, app-save: ok}
            because: The end was recorded, and never sent.
        cures:
          error:
            about: Both save under the error policy.
            contexts:
              V: {policy: error, automerge: false}
            outcomes:
              - grade: acceptable
                is: {end: noon, pending: true}
                because: The session will be sent again with its end.

        """

    static let small = """
        name: a
        about: b
        model: {entities: {Card: {attributes: {text: string, n: integer16}}}}
        contexts: {C: {}}
        setup: [insert Card as k with text = "x"]
        sessions: {s: {context: C, steps: {a1: 'set k.text = "y"', a2: save}}}
        observe: {t: read Card.text, n: count Card where text == 'y'}
        outcomes: [{grade: acceptable, is: {t: y}, because: c}]

        """
}

/// A log from which inputs are generated.
enum LogSeed {
    private static let prefix = "2024-05-01 10:11:11.001000+0200 Library[4711:70001] CoreData: "
    private static let store = "x-coredata://8C0B2E5E-7A1F-4D54-9C8B-5F7B1D0A1E11"

    static let text: String = {
        var lines = [
            "sql: SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZNAME FROM ZAUTHOR t0 ORDER BY t0.ZNAME",
            "annotation: sql connection fetch time: 0.0004s",
            "annotation: total fetch execution time: 0.0004s for 12 rows.",
        ]
        for number in 1...6 {
            lines += [
                "sql: SELECT 0, t0.Z_PK FROM ZBOOK t0 WHERE  t0.ZAUTHOR = ? ",
                "details: SQLite bind[0] = (int64)\(number)",
                "annotation: to-many relationship fault \"books\" for objectID 0x60000\(number) "
                    + "<\(store)/Author/p\(number)> fulfilled from database.  Got 3 rows",
            ]
        }
        lines += [
            "sql: BEGIN EXCLUSIVE",
            "sql: UPDATE OR FAIL ZBOOK SET ZTITLE = ?, Z_OPT = ?  WHERE Z_PK = ? AND Z_OPT = ?",
            "sql: COMMIT",
        ]
        return lines.map { prefix + $0 + "\n" }.joined()
    }()
}
