package cache

const KeepForms = keepForms
