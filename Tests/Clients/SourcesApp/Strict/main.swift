import CoreData

/// Prints an error if the result of a snippet differs from the expected result.
func check(_ name: String, _ isRight: Bool) -> Int {
    if !isRight { print("\(name): not as expected") }
    return isRight ? 0 : 1
}

let failed = try await checkStrict()
print("\(failed) snippets of Swift 6 fail")
exit(failed == 0 ? 0 : 1)
