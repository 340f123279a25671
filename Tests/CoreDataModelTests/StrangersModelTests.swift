import CoreDataModel
import Foundation
import Testing

/// Models that Xcode has written for other apps.
///
/// Source: semantics.md §11.1, and models of Xcode 4.2 to 26 in public repositories.
struct StrangersModelTests {
    @Test func `each attribute that Xcode writes is read`() throws {
        let property =
            #"optional="YES" indexed="YES" syncable="YES" spotlightIndexingEnabled="YES""#
            + #" storedInTruthFile="YES" elementID="old" versionHashModifier="1""#
        let model = try read(
            """
            <composite name="Place" elementID="old" versionHashModifier="1">
              <attribute name="x" optional="YES" attributeType="Double"/>
            </composite>
            <entity name="A" representedClassName=".A" isAbstract="NO" syncable="YES"
              codeGenerationType="class" elementID="old" versionHashModifier="1" customHash="0"
              coreSpotlightDisplayNameExpression="name">
              <attribute name="name" \(property) attributeType="String" minValueString="1"
                maxValueString="9" regularExpressionString="a*" defaultValueString="a"
                preserveAfterDeletion="YES" allowsCloudEncryption="YES"/>
              <attribute name="at" \(property) attributeType="Date" minDateTimeInterval="0"
                maxDateTimeInterval="9" defaultDateTimeInterval="5" usesScalarValueType="NO"/>
              <attribute name="color" \(property) attributeType="Transformable"
                valueTransformerName="" customClassName="Module.Color"
                allowsExternalBinaryDataStorage="YES"/>
              <attribute name="upper" optional="YES" attributeType="String" derived="YES"
                derivationExpression="uppercase:(name)" usesScalarValueType="NO"/>
              <attribute name="place" optional="YES" attributeType="Composite" composite="Place"/>
              <attribute name="draft" optional="YES" attributeType="String" ephemeral="YES"/>
              <relationship name="b" \(property) minCount="1" maxCount="1" ordered="YES"
                deletionRule="Nullify" destinationEntity="B" inverseName="list"
                inverseEntity="B" preserveAfterDeletion="YES"/>
              <fetchedProperty name="found" optional="YES" syncable="YES">
                <fetchRequest name="fetchedPropertyFetchRequest" entity="B"
                  predicateString="flag == YES" fetchLimit="5"/>
              </fetchedProperty>
              <fetchIndex name="byName" partialIndexPredicate="name != nil">
                <fetchIndexElement property="name" type="Binary" order="descending"/>
                <fetchIndexElement expression="length:(name)" expressionType="String"
                  type="Binary" order="ascending"/>
              </fetchIndex>
              <compoundIndexes><compoundIndex><index value="name"/></compoundIndex>
              </compoundIndexes>
              <userInfo><entry key="k" value="v"/></userInfo>
            </entity>
            <entity name="B" syncable="YES">
              <attribute name="flag" attributeType="Boolean" defaultValueString="0"/>
              <relationship name="list" optional="YES" toMany="YES" ordered="YES"
                deletionRule="Cascade" destinationEntity="A" inverseName="b"
                inverseEntity="A" syncable="YES"/>
              <uniquenessConstraints><uniquenessConstraint><constraint value="flag"/>
              </uniquenessConstraint></uniquenessConstraints>
            </entity>
            <fetchRequest name="All" entity="B" predicateString="flag == $FLAG" resultType="1"
              fetchLimit="7" fetchBatchSize="3" includeSubentities="NO"
              includePropertyValues="NO" includesPendingChanges="NO" returnObjectsAsFaults="NO"
              returnDistinctResults="YES" syncable="YES"/>
            <configuration name="Cloud" usedWithCloudKit="YES"><memberEntity name="A"/>
              <memberEntity name="B"/></configuration>
            <elements><element name="A" positionX="0" positionY="-9.5" width="128" height="88"/>
            </elements>
            """)
        try model.freeze()
        let entity = try #require(model.entitiesByName["A"])
        #expect(entity.attributesByName["draft"]?.isTransient == true)
        #expect(entity.relationshipsByName["b"]?.isToMany == false)
        #expect(model.entitiesByName["B"]?.attributesByName["flag"]?.defaultValue as? Int == 0)
        #expect(model.entities(forConfigurationName: "Cloud")?.count == 2)
    }

    @Test(arguments: [
        ["includeSubentities", "includePropertyValues", "includesPendingChanges"],
        ["includesSubentities", "includesPropertyValues", "includePendingChanges"],
    ])
    func `a fetch request's options are read in both spellings`(names: [String]) throws {
        let options = names.map { "\($0)=\"NO\"" }.joined(separator: " ")
        for more in ["return", "returns"] {
            let model = try read(
                """
                <entity name="B"/>
                <fetchRequest name="All" entity="B" \(options) \(more)ObjectsAsFaults="NO"
                  \(more)DistinctResults="YES"/>
                """)
            let source = try #require(model.fetchRequestSources["All"])
            #expect(!source.includesSubentities && !source.includesPropertyValues)
            #expect(!source.includesPendingChanges && !source.returnsObjectsAsFaults)
            #expect(source.returnsDistinctResults)
        }
    }
}
