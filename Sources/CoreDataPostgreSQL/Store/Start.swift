import CPostgreSQLStart
import CoreDataStore
import CoreDataTrace

/// Called before `main`.
@_cdecl("faultline_postgresql_register") func registerPostgreSQL() {
    do throws(CoreDataError) { try StoreKinds.register(PostgreSQLKind()) } catch {
        EngineLog.error("stores on PostgreSQL cannot be opened: \(error.message)")
    }
}
