import SwiftSyntax

/// Builds the members of a class's body that call members of extensions.
extension ForwarderBuilder {
    /// The new name of a member of an extension. It contains the class's name, because an extension
    /// of a subclass can have a member with the same name.
    static func newName(_ name: String, in type: String) -> String {
        "implementation_\(type.filter { $0 != "." })_\(name.trimmingBackticks)"
    }

    static func words(_ throwing: ThrowsClauseSyntax?, _ waiting: TokenSyntax?) -> String {
        (throwing == nil ? "" : "try ") + (waiting == nil ? "" : "await ")
    }

    /// The arguments that pass on the parameters; nil if a parameter is variadic.
    static func arguments(
        _ clause: FunctionParameterClauseSyntax, isSubscript: Bool = false
    ) -> [String]? {
        var arguments: [String] = []
        for parameter in clause.parameters {
            if parameter.ellipsis != nil { return nil }
            let isUnlabelled =
                parameter.firstName.text == "_" || (isSubscript && parameter.secondName == nil)
            let label = isUnlabelled ? "" : "\(parameter.firstName.text): "
            let name = (parameter.secondName ?? parameter.firstName).text
            let isInOut = parameter.type.trimmedDescription.hasPrefix("inout ")
            let isWritten = parameter.type.trimmedDescription.contains("@autoclosure")
            arguments.append(label + (isInOut ? "&" : "") + name + (isWritten ? "()" : ""))
        }
        return arguments
    }

    /// A getter that returns the value of `target`, and a setter if the property has one.
    static func accessors(_ block: AccessorBlockSyntax?, of target: String) -> String {
        var words = ""
        var effects = ""
        var setter = ""
        if case .accessors(let accessors) = block?.accessors {
            for accessor in accessors {
                switch accessor.accessorSpecifier.text {
                case "get":
                    let specifiers = accessor.effectSpecifiers
                    words = Self.words(specifiers?.throwsClause, specifiers?.asyncSpecifier)
                    effects = specifiers.map { " " + oneLine($0) } ?? ""
                case "set", "_modify": setter = " set { \(target) = newValue }"
                default: continue
                }
            }
        }
        return "get\(effects) { \(words)\(target) }\(setter)"
    }

    // MARK: Observers

    /// The property's `willSet` and `didSet`; nil if it has neither.
    static func observers(_ binding: PatternBindingSyntax) -> [AccessorDeclSyntax]? {
        guard case .accessors(let accessors) = binding.accessorBlock?.accessors else { return nil }
        let found = accessors.filter { accessor in
            ["willSet", "didSet"].contains(accessor.accessorSpecifier.text)
        }
        return found.isEmpty ? nil : Array(found)
    }

    /// Converts a property observer to a method. Returns an observer for the class's body that
    /// calls it.
    func observe(
        _ property: String, _ type: String, _ observer: AccessorDeclSyntax, in owner: String
    ) -> String {
        let word = observer.accessorSpecifier.text
        let method = Self.newName("\(word)_\(property.trimmingBackticks)", in: owner)
        let usual = word == "didSet" ? "oldValue" : "newValue"
        let parameter = observer.parameters?.name.text ?? usual
        let end = (observer.parameters?.textRange ?? observer.accessorSpecifier.textRange)
            .upperBound
        edits.append(
            SourceEdit(
                range: observer.accessorSpecifier.textRange.lowerBound..<end,
                text: "func \(method)(_ \(parameter): \(type))", kind: .override))
        return "\(word) { self.\(method)(\(usual)) }"
    }

    /// Removes the text of a property around its observers, except for line breaks.
    func unwrap(_ node: VariableDeclSyntax, _ binding: PatternBindingSyntax) {
        guard let block = binding.accessorBlock else { return }
        let start = node.textRange.lowerBound
        let end = block.leftBrace.textRange.upperBound
        let lines = node.tokens(viewMode: .sourceAccurate)
            .prefix { $0.id != block.leftBrace.id }
            .dropFirst().reduce(0) { $0 + $1.leadingTrivia.newlines + $1.trailingTrivia.newlines }
        edits.append(
            SourceEdit(
                range: start..<end,
                text: String(
                    repeating: "\n", count: lines + block.leftBrace.leadingTrivia.newlines),
                kind: .override))
        edits.append(SourceEdit(range: block.rightBrace.textRange, text: "", kind: .override))
    }

    // MARK: Text

    /// The tokens on one line, without comments.
    static func oneLine(_ node: some SyntaxProtocol) -> String {
        var text = ""
        for token in node.tokens(viewMode: .sourceAccurate) {
            let isApart = !token.leadingTrivia.isEmpty || !token.trailingTrivia.isEmpty
            text += token.text + (isApart ? " " : "")
        }
        return text
    }
}

/// Attributes and names that the rewriter knows.
enum RewriteVocabulary {
    static let dropped: Set<String> = [
        "objc", "objcMembers", "nonobjc", "NSManaged", "IBAction", "IBOutlet", "IBInspectable",
        "IBDesignable", "IBSegueAction", "GKInspectable", "NSApplicationMain",
        "UIApplicationMain", "objcImplementation", "_objcImplementation", "implementation",
        "_objcRuntimeName", "_objc_non_lazy_realization", "NSKeyedArchiverClassName",
        "NSKeyedArchiverEncodeNonGenericSubclassesOnly",
    ]

    /// Names that Foundation or Swift declares on Apple's platforms and `CoreData` declares on
    /// Linux.
    static let declaredByCoreData: Set<String> = [
        "AutoreleasingUnsafeMutablePointer", "NSComparisonPredicate", "NSCompoundPredicate",
        "NSErrorPointer", "NSExpression", "NSKeyValueChange", "NSKeyValueChangeKey",
        "NSKeyValueObservation", "NSKeyValueObservedChange", "NSKeyValueObservingOptions",
        "NSKeyValueSetMutationKind", "NSPredicate", "NSSecureUnarchiveFromDataTransformer",
        "NSSelectorFromString", "NSSortDescriptor", "NSStringFromClass", "NSStringFromSelector",
        "NSValueTransformerName", "Selector", "UndoManager", "ValueTransformer", "autoreleasepool",
    ]

    /// Whether Core Data declares the name. A file may see Core Data through a module that exports
    /// it on Apple's systems only.
    static func isOfCoreData(_ name: String) -> Bool {
        declaredByCoreData.contains(name)
            || ["NSManagedObject", "NSPersistent", "NSFetch", "NSEntityDescription"].contains {
                name.hasPrefix($0)
            }
    }
}
