// Package term is what any screen needs: a canvas of cells that nothing is drawn outside of, styles and themes, lists,
// viewports, the editing of a line, and what lies over a screen (menus, pickers, readers, prompts). It knows nothing of
// Kubernetes, and no page.
//
// A style is a role, which a theme gives a look; themes are lipgloss styles (looks.go), of which each keeps the ready
// sequences. Nothing is measured in bytes or runes: package cells knows how wide a text is. In CJK locales glyphs of
// ambiguous width have twins (CharsetOf).
//
// Every list of rows has a List: the page calls Keep with the number of rows and the key of each, and the cursor stays
// on its item, follows the newest one, takes presses and draws what is visible. Its columns are a Table: a TableColumn
// has a name, a width, and the width of the table from which on it is shown. Write no other cursor, and no widths by
// hand.
package term
