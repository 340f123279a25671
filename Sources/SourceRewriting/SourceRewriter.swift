import Foundation
import SwiftParser
import SwiftSyntax

/// Rewrites the sources of a target for Apple's systems, so that Swift compiles them without
/// Objective-C.
///
/// All files of the target are parsed first, because declarations in one file affect the rewriting
/// of other files. Edits replace syntax nodes, so strings and comments are not changed. All
/// branches of `#if` are rewritten.
public struct SourceRewriter {
    /// A source file of the target.
    public struct Source: Sendable {
        /// The path of the file, for diagnostics.
        public let path: String
        /// The contents of the file.
        public let text: String

        /// Creates a source file.
        public init(path: String, text: String) {
            self.path = path
            self.text = text
        }
    }

    private let sources: [Source]
    private let known: [Source]
    private let platform: String?

    /// Creates a rewriter for the files of one target.
    ///
    /// - Parameters:
    ///   - known: the files of imported targets. They are not rewritten, but searched for base
    ///     classes, optional methods and Objective-C names.
    ///   - platform: the platform whose `#if` branches are to be compiled, such as `iOS`; nil for
    ///     the platform on which the compiler runs.
    public init(_ sources: [Source], knowing known: [Source] = [], platform: String? = nil) {
        self.sources = sources
        self.known = known
        self.platform = platform
    }

    /// Rewrites all files, and returns the results in the order of the files.
    public func rewrite() -> [RewrittenFile] {
        let trees = sources.map { Parser.parse(source: $0.text) }
        var index = Self.index(of: trees, knowing: known.map { Parser.parse(source: $0.text) })
        let builders = trees.map { tree in
            let builder = ForwarderBuilder(index: index)
            builder.walk(tree)
            return builder
        }
        for builder in builders {
            for (type, forwarder) in builder.forwarders {
                index.forwarders[type, default: []].append(forwarder)
            }
        }
        index.addWitnesses()
        index.addKeyedMembers()
        index.addValueReaders()
        index.addObjectiveCNames()
        return sources.indices.map { number in
            rewrite(number, trees[number], builders[number], index)
        }
    }

    private static func index(
        of trees: [SourceFileSyntax], knowing known: [SourceFileSyntax]
    ) -> TargetIndex {
        var index = TargetIndex(ownFiles: trees.count)
        let builders = (trees + known).enumerated().map { number, tree in
            let builder = IndexBuilder(file: number)
            builder.walk(tree)
            return builder
        }
        // Types of the target take precedence over types of imported targets.
        for builder in builders {
            index.types.merge(builder.types) { first, _ in first }
            index.aliases.merge(builder.aliases) { first, _ in first }
            index.functions.formUnion(builder.functions)
            index.selectors.merge(builder.selectors) { first, _ in first }
            index.optionals += builder.optionals
        }
        for builder in builders {
            for (type, inherited) in builder.conformances {
                guard let name = index.type(type)?.name else { continue }
                index.types[name]?.inherited += inherited
            }
            for (type, member) in builder.keyed {
                guard let name = index.type(type)?.name else { continue }
                index.keyed[name, default: []].append(member)
            }
            for (type, properties, methods) in builder.members {
                // The name in the extension can be an alias. An extension in an imported target
                // does not extend a type of this target with the same name.
                guard let name = index.type(type)?.name,
                    !(builder.file >= index.ownFiles && index.isOwn(name))
                else { continue }
                index.types[name]?.add(properties, methods)
            }
        }
        index.listDeclarers()
        return index
    }

    private func rewrite(
        _ number: Int, _ tree: SourceFileSyntax, _ builder: ForwarderBuilder,
        _ index: TargetIndex
    ) -> RewrittenFile {
        let source = sources[number]
        let rewriter = FileRewriter(index: index, platform: platform, file: number)
        rewriter.edits = builder.edits
        rewriter.walk(tree)
        let converter = SourceLocationConverter(fileName: source.path, tree: tree)
        let line = { converter.location(for: AbsolutePosition(utf8Offset: $0)).line }
        let warnings = (rewriter.problems + builder.problems).map { position, message in
            let place = converter.location(for: position)
            return RewriteWarning(
                file: source.path, line: place.line, column: place.column, message: message)
        }
        let counts = Dictionary(grouping: rewriter.edits, by: \.kind).mapValues(\.count)
        return RewrittenFile(
            path: source.path, text: SourceEdit.text(of: source, rewriter, line: nil),
            numbered: SourceEdit.text(of: source, rewriter, line: line),
            needsImport: Self.needsImport(tree, rewriter), counts: counts,
            warnings: warnings.sorted { ($0.line, $0.column) < ($1.line, $1.column) })
    }
}

extension SourceRewriter {
    /// Whether the edits need `CoreData`, and the file does not import it.
    private static func needsImport(
        _ tree: SourceFileSyntax, _ rewriter: FileRewriter
    ) -> Bool {
        let uses: Set<EditKind> = [
            .observer, .selector, .bundle, .request, .managedProperty, .managedFunction, .copying,
            .className, .bridging, .mainActorTest,
        ]
        let isUsed =
            rewriter.defaults.contains { $0.contains(": KeyValueCodable") }
            || rewriter.edits.contains { uses.contains($0.kind) } || !rewriter.aliases.isEmpty
            || tree.tokens(viewMode: .sourceAccurate).contains { token in
                RewriteVocabulary.isOfCoreData(token.text)
            }
        guard isUsed else { return false }
        return !tree.statements.contains { statement in
            let declaration = statement.item.as(ImportDeclSyntax.self)
            return declaration?.path.first?.name.text == "CoreData"
                && declaration?.importKindSpecifier == nil
        }
    }
}

extension SourceEdit {
    /// The text of a file after its edits, with the added declarations at its end.
    ///
    /// - Parameter line: returns the line number of a byte offset; nil to omit references to the
    ///   original.
    fileprivate static func text(
        of source: SourceRewriter.Source, _ rewriter: FileRewriter, line: ((Int) -> Int)?
    ) -> String {
        let edits = rewriter.edits.map { edit in
            let text = RewrittenLine.resolved(edit.text, file: source.path, line: line)
            return SourceEdit(range: edit.range, text: text, kind: edit.kind)
        }
        var text = RewrittenFile.apply(edits, to: Array(source.text.utf8))
        if !rewriter.keys.isEmpty {
            // The constants are nonisolated, because objects are used on other threads even if the
            // main actor is the module's default isolation.
            let keys = rewriter.keys.map {
                "nonisolated static let `\($0)` = ManagedKey(\"\($0)\")"
            }
            let list = keys.joined(separator: "; ")
            text += "\nprivate enum \(rewriter.keysName) { \(list) }\n"
        }
        for value in rewriter.defaults { text += "\n" + value + "\n" }
        for alias in rewriter.aliases { text += "\n" + declaration(of: alias) + "\n" }
        return text
    }

    private static func declaration(of alias: FileRewriter.Alias) -> String {
        var text =
            "nonisolated final class ManagedClassNamed_\(alias.name): ManagedClassAlias {"
            + " override class var managedClass: AnyClass { \(alias.type).self } }"
        if alias.isHidden {
            let outer = alias.type.split(separator: ".").dropLast().joined(separator: ".")
            text = "extension \(outer) { \(text) }"
        }
        return alias.condition.map { "#if \($0)\n\(text)\n#endif" } ?? text
    }
}
