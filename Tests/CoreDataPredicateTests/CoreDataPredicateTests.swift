// CoreDataPredicateTests
