// Shopkeeper is the controller of package shop, and what happens to it, as two commands that KUBECONFIG leads to a
// server:
//
//	go build -o shopkeeper ./tests/planted/shop/shopkeeper
//	kubarium explore --controller './shopkeeper --mistakes twice' -- ./shopkeeper play
//	kubarium explore --controller './shopkeeper --mistakes none' -- ./shopkeeper play
package main

import (
	"context"
	"os"
	"os/signal"

	"kubarium/tests/planted/shop"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(shop.Main(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
