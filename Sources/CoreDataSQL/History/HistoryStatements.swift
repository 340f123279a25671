import CoreDataModel

/// The statements that read and delete a range of a store's history.
package struct HistoryStatements: Sendable {
    /// The tables of the history and their columns.
    package struct Names: Sendable {
        package let transactions: String
        package let changes: String
        /// The column with the transaction number, or with the number of a change.
        package let key: String
        package let timestamp: String
        /// The column of a change with its transaction number.
        package let transaction: String

        package init(
            transactions: String, changes: String, key: String, timestamp: String,
            transaction: String
        ) {
            self.transactions = transactions
            self.changes = changes
            self.key = key
            self.timestamp = timestamp
            self.transaction = transaction
        }
    }

    private let names: Names
    private let range: HistoryRange

    package init(_ names: Names, _ range: HistoryRange) {
        self.names = names
        self.range = range
    }

    /// The WHERE clause that selects the range, such as ` WHERE t.Z_PK > ?`. The table's alias is
    /// `t`.
    private var condition: Fragment {
        switch range {
        case .all: Fragment()
        case .after(let number): " WHERE t.\(names.key) > " + .parameter(.integer(number))
        case .before(let number): " WHERE t.\(names.key) < " + .parameter(.integer(number))
        case .afterDate(let date): " WHERE t.\(names.timestamp) > " + .parameter(.double(date))
        case .beforeDate(let date): " WHERE t.\(names.timestamp) < " + .parameter(.double(date))
        }
    }

    private var numbers: Fragment {
        "(SELECT t.\(names.key) FROM \(names.transactions) t" + condition + ")"
    }

    /// Selects the transactions in the order of their numbers.
    ///
    /// - Parameter list: columns of the table `t`.
    package func transactions(_ list: String) -> Fragment {
        "SELECT \(list) FROM \(names.transactions) t" + condition + " ORDER BY t.\(names.key)"
    }

    /// Selects the changes of the transactions in the order of their numbers.
    ///
    /// - Parameter list: columns of the table `c`.
    package func changes(_ list: String) -> Fragment {
        "SELECT \(list) FROM \(names.changes) c WHERE c.\(names.transaction) IN " + numbers
            + " ORDER BY c.\(names.key)"
    }

    package var deleteChanges: Fragment {
        "DELETE FROM \(names.changes) WHERE \(names.transaction) IN " + numbers
    }

    package var deleteTransactions: Fragment {
        "DELETE FROM \(names.transactions) AS t" + condition
    }
}
