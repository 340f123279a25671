@_exported import LabScenario
