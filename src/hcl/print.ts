import type { CommentGroup, Layout, LayoutItem, LayoutValue } from './layout.ts'

/**
 * Prints in the field's own style: two spaces for each level, an empty line between the items of a file, short members
 * on adjacent lines aligned. There is no line end after the last one.
 */
export function printHcl(layout: Layout): string {
  const { items, rest } = layout
  return [...items.map((item) => itemText(item, '')), ...rest.map((group) => lines(group, ''))].join('\n\n')
}

function itemText(item: LayoutItem, indent: string, width = 0): string {
  const [first, ...labels] = item.keys
  let keys = first?.text.padEnd(width) ?? ''
  for (const { text } of labels) keys += ` ${text}`
  if (item.isAssigned) keys += ' ='
  const beside = item.beside === undefined ? '' : ` ${item.beside}`
  const apart = item.apart.length === 0 ? '' : item.apart.map((group) => `${lines(group, indent)}\n\n`).join('')
  const above = item.above.length === 0 ? '' : `${lines(item.above, indent)}\n`
  return `${apart}${above}${indent}${keys} ${valueText(item.value, indent)}${beside}`
}

function valueText(value: LayoutValue, indent: string): string {
  switch (value.kind) {
    case 'text':
      return value.text
    case 'list':
      return `[${value.values.map((each) => `${valueText(each, indent)}${endsInHeredoc(each) ? '\n' : ''}`).join(', ')}]`
    case 'block':
      return blockText(value.layout, indent)
  }
}

function blockText({ items, rest }: Layout, indent: string): string {
  if (items.length === 0 && rest.length === 0) return '{}'
  const inner = `${indent}  `
  const [only] = items
  // Most blocks of rules: nothing is aligned, and nothing joined.
  if (only !== undefined && items.length === 1 && rest.length === 0) return `{\n${itemText(only, inner)}\n${indent}}`
  const groups = alignedGroups(items).map((group) => groupText(group, inner))
  const members = [...groups, ...rest.map((group) => lines(group, inner))].join('\n\n')
  return `{\n${members}\n${indent}}`
}

function groupText(group: readonly LayoutItem[], indent: string): string {
  const width = group.length > 1 ? group.reduce((most, { keys }) => Math.max(most, keys[0]?.text.length ?? 0), 0) : 0
  return group.map((item) => itemText(item, indent, width)).join('\n')
}

/** Consecutive one-line members on adjacent lines, together; each other member by itself. */
function alignedGroups(items: readonly LayoutItem[]): readonly (readonly LayoutItem[])[] {
  const groups: LayoutItem[][] = []
  for (const item of items) {
    const before = groups.at(-1)?.at(-1)
    const isNext = before !== undefined && isShort(before) && isShort(item) && item.firstLine === before.lastLine + 1
    if (isNext && item.apart.length === 0 && item.above.length === 0) groups.at(-1)?.push(item)
    else groups.push([item])
  }
  return groups
}

function isShort({ value, keys, isAssigned }: LayoutItem): boolean {
  return value.kind === 'text' && !value.isHeredoc && keys.length === 1 && isAssigned
}

function endsInHeredoc(value: LayoutValue): boolean {
  return value.kind === 'text' && value.isHeredoc
}

function lines(comments: CommentGroup, indent: string): string {
  return comments.map((comment) => `${indent}${comment}`).join('\n')
}
