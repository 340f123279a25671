import CoreData

// The plugin generates the classes of beds and plants ("Class Definition"), but not of trees.

extension Bed {
    public override func awakeFromInsert() {
        super.awakeFromInsert()
        made = Date(timeIntervalSinceReferenceDate: 7)
    }

    @objc var shelf: String { "\(name?.first ?? "?")" }
}

extension Plant {
    override public func awakeFromInsert() {
        super.awakeFromInsert()
        name = "seed"
    }

    public override func validateForInsert() throws {
        try super.validateForInsert()
        if height < 0 {
            let info = [NSValidationKeyErrorKey: #keyPath(height)]
            throw NSError(domain: "Garden", code: 3, userInfo: info)
        }
    }

    @objc func validateName(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
        if value.pointee as? String == "weed" {
            throw NSError(domain: "Garden", code: 4, userInfo: nil)
        }
    }

    public override var description: String { "\(name ?? "-") of \(height)" }
}

@objc(Tree)
public class Tree: Plant {
    static var objectiveC: String { NSStringFromClass(self) }

    public override func awakeFromInsert() {
        super.awakeFromInsert()
        name = (name ?? "") + "ling"
    }
}

final class Oak: Tree {}
