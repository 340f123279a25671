@_exported import CoreDataEngine
@_exported import CoreDataModel
// Foundation comes with the predicates, whose types shadow its own of the same names then. An
// export of its own beside them would make the names ambiguous.
@_exported import CoreDataPredicate
