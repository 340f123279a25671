// LabScenarioTests
