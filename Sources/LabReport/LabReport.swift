// LabReport
