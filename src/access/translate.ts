import { err, ok, type Result } from '../base/result.ts'
import { isJson } from '../hcl/json.ts'
import {
  type CommentGroup,
  type Layout,
  type LayoutItem,
  type LayoutKey,
  type LayoutValue,
  layoutOf,
} from '../hcl/layout.ts'
import { printHcl } from '../hcl/print.ts'
import type { HclBlock, HclNode } from '../hcl/tree.ts'
import { parseRulesTree } from './reading.ts'
import { labelledResources } from './rules.ts'

/**
 * Legacy rules in the new grammar, always as HCL: each label was a prefix, so blocks become prefix blocks; comments
 * stay. Parts that only the new grammar knows had no meaning before and would get one now: a comment replaces them.
 * Reference: access-control.md#translation-of-rules.
 */
export function translateRules(text: string): Result<string, string> {
  const work = translation(text)
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}

/** The same in three pieces, each of some 20 ms for the largest text: other work may run at each `yield`. */
export function* translation(text: string): Generator<void, Result<string, string>, void> {
  const tree = parseRulesTree(text)
  if (!tree.ok) return err(`Failed to parse rules: ${tree.error}`)
  yield
  const layout = isJson(text) ? layoutOfTree(tree.value) : layoutOf(text)
  yield
  return ok(printHcl(translated(layout)))
}

/** Names are the same in any case. */
const renamed: ReadonlyMap<string, string> = new Map(labelledResources.map((name) => [name, `${name}_prefix`]))
const meaningless: ReadonlySet<string> = new Set(['acl', ...renamed.values()])

function translated({ items, rest }: Layout): Layout {
  const kept: LayoutItem[] = []
  let leftOut: CommentGroup[] = []
  for (const item of items) {
    const name = item.keys[0]?.name.toLowerCase() ?? ''
    if (meaningless.has(name)) {
      leftOut.push(...item.apart, commented(item))
      continue
    }
    const other = renamed.get(name)
    const keys = other === undefined ? item.keys : [{ text: other, name: other }, ...item.keys.slice(1)]
    kept.push(relaid(item, keys, leftOut.length === 0 ? item.apart : [...leftOut, ...item.apart]))
    if (leftOut.length > 0) leftOut = []
  }
  return { items: kept, rest: [...leftOut, ...rest] }
}

/** Each member by its name: a spread of thousands of items costs several times as much. */
function relaid(item: LayoutItem, keys: readonly LayoutKey[], apart: readonly CommentGroup[]): LayoutItem {
  const { above, isAssigned, value, beside, firstLine, lastLine } = item
  return { apart, above, keys, isAssigned, value, beside, firstLine, lastLine }
}

function commented(item: LayoutItem): CommentGroup {
  const lines = printHcl({ items: [{ ...item, apart: [] }], rest: [] }).split('\n')
  return ['# It had no meaning in the former grammar:', ...lines.map((line) => `# ${line}`.trimEnd())]
}

/** JSON has neither comments nor lines of its own. */
function layoutOfTree(block: HclBlock): Layout {
  return { items: block.members.flatMap(({ name, node }) => itemsOf([keyOf(name)], node)), rest: [] }
}

function itemsOf(keys: readonly LayoutKey[], node: HclNode): readonly LayoutItem[] {
  if (node.kind !== 'list' || !node.items.every((item) => item.kind === 'block')) {
    return [plainItem(keys, true, laidOut(node))]
  }
  return node.items.flatMap((block) => {
    const labels = block.members
    const areLabels = keys.length === 1 && labels.length > 0 && labels.every(({ node: inner }) => inner.kind === 'list')
    if (!areLabels) return [plainItem(keys, false, { kind: 'block', layout: layoutOfTree(block) })]
    return labels.flatMap(({ name, node: inner }) => itemsOf([...keys, { text: quoted(name), name }], inner))
  })
}

function plainItem(keys: readonly LayoutKey[], isAssigned: boolean, value: LayoutValue): LayoutItem {
  return { apart: [], above: [], keys, isAssigned, value, beside: undefined, firstLine: 0, lastLine: 0 }
}

function laidOut(node: HclNode): LayoutValue {
  switch (node.kind) {
    case 'scalar':
      return {
        kind: 'text',
        text: typeof node.value === 'string' ? quoted(node.value) : String(node.value),
        isHeredoc: false,
      }
    case 'list':
      return { kind: 'list', values: node.items.map(laidOut) }
    case 'block':
      return { kind: 'block', layout: layoutOfTree(node) }
  }
}

function keyOf(name: string): LayoutKey {
  const isPlain = /^[A-Za-z_][\w-]*$/.test(name) && name !== 'true' && name !== 'false'
  return { text: isPlain ? name : quoted(name), name }
}

/** In the form that HCL reads back: `${` would begin an interpolation. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('${', '\\u0024{')
}
