package main

import apiserver "k8s.io/apiserver/pkg/endpoints/openapi"

func writeDocuments(folder string, namer *apiserver.DefinitionNamer) error { return nil }
