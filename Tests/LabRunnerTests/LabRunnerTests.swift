// LabRunnerTests
