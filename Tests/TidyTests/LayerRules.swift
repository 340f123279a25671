/// The rules about the order of folders in a module. `ModuleLayers` contains the order.
enum LayerRules {
    static func unknownFolders(_ files: [SourceFile]) -> [Violation] {
        ModuleLayers.all.flatMap { layers in
            layers.own(files).compactMap { file -> Violation? in
                guard let folder = file.folder else {
                    return file.violation(0, "layer-folder", "put it into a folder of the order")
                }
                guard layers.level(folder) == nil else { return nil }
                return file.violation(0, "layer-folder", "give \(folder) a place in the order")
            }
        }
    }

    static func upward(_ files: [SourceFile]) -> [Violation] {
        let named = Dictionary(
            files.filter(\.isSource).map { ($0.path, FileNames($0)) },
            uniquingKeysWith: { first, _ in first })
        return ModuleLayers.all.flatMap { upward(files, named, $0) }
    }

    /// Finds uses of types, globals and members that only higher folders of the module declare.
    ///
    /// Members are compared by name. A lower folder, a lower module or the file itself may declare
    /// the same name. The rule then assumes that this declaration is used.
    private static func upward(
        _ files: [SourceFile], _ named: [String: FileNames], _ layers: ModuleLayers
    ) -> [Violation] {
        var globals = Homes()
        var members = Homes()
        let below = layers.below
        for file in files where below.contains(file.module ?? "") {
            guard let names = named[file.path] else { continue }
            let isOwn = file.module == layers.module
            let level = (isOwn ? layers.level(file.folder) : nil) ?? layers.levels.count
            globals.add(names.globals, level)
            members.add(names.members, level)
            members.lower(names.every, level)
        }
        return layers.own(files).flatMap { file -> [Violation] in
            guard let own = layers.level(file.folder), let names = named[file.path] else {
                return []
            }
            let above = names.words.filter { globals.isAbove($0, own) }
            let membersAbove = names.words.filter {
                members.isAbove($0, own) && !names.every.contains($0)
            }
            if above.isEmpty, membersAbove.isEmpty { return [] }
            return file.code.enumerated().flatMap { index, line in
                let used =
                    Words.of(line).filter(above.contains)
                    + Members.used(in: line).filter(membersAbove.contains)
                return used.map {
                    file.violation(
                        index, "layer",
                        "\(file.folder ?? "") must not name \($0) of a higher folder")
                }
            }
        }
    }

    /// The declarations and words of a file. They are found once for the rules of all modules.
    private struct FileNames {
        let globals: [String]
        let members: [String]
        let every: Set<String>
        let words: Set<String>

        init(_ file: SourceFile) {
            globals = Types.declared(in: file) + Members.globals(in: file)
            members = Members.declared(in: file)
            every = Members.everyName(in: file)
            words = Set(file.code.flatMap(Words.of))
        }
    }

    /// The lowest level that declares each name.
    private struct Homes {
        private var names: Set<String> = []
        private var levels: [String: Int] = [:]

        mutating func add(_ names: [String], _ level: Int) {
            self.names.formUnion(names)
            lower(Set(names), level)
        }

        mutating func lower(_ names: Set<String>, _ level: Int) {
            for name in names { levels[name] = max(levels[name] ?? 0, level) }
        }

        func isAbove(_ name: String, _ level: Int) -> Bool {
            names.contains(name) && (levels[name] ?? level) < level
        }
    }
}
