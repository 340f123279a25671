// LabResults
