import { invariant } from '../base/invariant.ts'
import { err, ok, type Result } from '../base/result.ts'
import { parseHcl } from '../hcl/hcl.ts'
import { isJson, parseHclJson } from '../hcl/json.ts'
import { fieldProblemText } from '../hcl/problem.ts'
import type { HclBlock, HclNode } from '../hcl/tree.ts'
import { accessLabelMax, accessRulesItemsMax, accessRulesMax, accessRulesTextMax } from '../model/limits.ts'
import type { ScalarResource } from './authorizer.ts'
import { invalidRule, invalidScalar, type ReadBlock } from './invalid.ts'
import {
  blockName,
  type Grammar,
  isLevel,
  type LabelledResource,
  type Level,
  labelledResources,
  type Rule,
  type RuleSet,
  scalarResources,
} from './rules.ts'

/**
 * Parses rules, HCL or JSON. Unknown blocks are ignored, and so is code of `sentinel`; names are compared without case.
 * The error is the line that clients get. Reference: access-control.md#policy-rules, access-control.md#rule-grammar,
 * access-control.md#legacy-grammar.
 */
export function parseRules(text: string, grammar: Grammar): Result<RuleSet, string> {
  const tree = parseRulesTree(text)
  if (!tree.ok) return err(`Failed to parse ACL rules: ${tree.error}`)
  const read = readTree(text, tree.value, grammar)
  if (!read.ok) return err(`Failed to parse ACL rules: ${read.error}`)
  const { blocks, scalars } = read.value
  const problem = problemOf(blocks, scalars)
  return problem === undefined ? ok(ruleSetOf(read.value, grammar)) : err(problem)
}

/** Parses rules without judging what they grant; the error has the place. */
export function parseRulesTree(text: string): Result<HclBlock, string> {
  if (text.length > accessRulesTextMax) return err(`the text is longer than ${accessRulesTextMax} characters`)
  const parsed = isJson(text) ? parseHclJson(text, accessRulesItemsMax) : parseHcl(text, accessRulesItemsMax)
  return parsed.ok ? parsed : err(fieldProblemText(text, parsed.error))
}

interface Read {
  readonly blocks: readonly ReadBlock[]
  readonly scalars: ReadonlyMap<ScalarResource, string>
}

type At<T> = Result<T, string>

/** The content of the blocks and scalars that the grammar knows, before it is validated. */
function readTree(text: string, root: HclBlock, grammar: Grammar): At<Read> {
  const blocks: ReadBlock[] = []
  const scalars = new Map<ScalarResource, string>()
  for (const resource of scalarResources) {
    if (resource === 'acl' && grammar === 'legacy') continue
    for (const node of named(root, resource)) {
      const value = scalarText(text, node, `root.${resource}`)
      if (!value.ok) return value
      scalars.set(resource, value.value)
    }
  }
  for (const { resource, match } of blockKinds(grammar)) {
    for (const node of named(root, blockName(resource, match, grammar))) {
      const read = readBlocks(text, node, { resource, match, name: blockName(resource, match, grammar) }, blocks)
      if (!read.ok) return read
    }
  }
  return ok({ blocks, scalars })
}

/** In the order in which they are judged. */
function blockKinds(grammar: Grammar): readonly Pick<Rule, 'resource' | 'match'>[] {
  return labelledResources.flatMap((resource): readonly Pick<Rule, 'resource' | 'match'>[] => {
    const prefix = { resource, match: 'prefix' } as const
    return grammar === 'legacy' ? [prefix] : [{ resource, match: 'exact' }, prefix]
  })
}

function* named(block: HclBlock, name: string): Generator<HclNode> {
  for (const { name: key, node } of block.members) if (isNamed(key, name)) yield node
}

function isNamed(key: string, name: string): boolean {
  return key === name || (key.length === name.length && key.toLowerCase() === name)
}

type Kind = Pick<ReadBlock, 'resource' | 'match' | 'name'>

/** `key "a" { … }` and `key { "a" { … } }` are the same. */
function readBlocks(text: string, node: HclNode, kind: Kind, into: ReadBlock[]): At<undefined> {
  for (const labelled of itemsOf(node)) {
    if (labelled.kind !== 'block') return refusedAt(text, labelled, `root.${kind.name}: not a block with a label`)
    for (const { name: label, node: bodies } of labelled.members) {
      for (const body of itemsOf(bodies)) {
        if (body.kind !== 'block') return refusedAt(text, body, `root.${kind.name}: not a block with a label`)
        if (label.length > accessLabelMax) {
          return refusedAt(text, body, `root.${kind.name}: a label is longer than ${accessLabelMax} characters`)
        }
        const read = readBody(text, body, kind, label)
        if (!read.ok) return read
        into.push(read.value)
        if (into.length > accessRulesMax) return refusedAt(text, body, `more than ${accessRulesMax} rules`)
      }
    }
  }
  return ok(undefined)
}

function itemsOf(node: HclNode): readonly HclNode[] {
  return node.kind === 'list' ? node.items : [node]
}

function readBody(text: string, body: HclBlock, kind: Kind, label: string): At<ReadBlock> {
  const { resource, match, name } = kind
  const level = lastText(text, body, name, 'policy')
  if (!level.ok) return level
  const intentions = resource === 'service' ? lastText(text, body, name, 'intentions') : unsaid
  return intentions.ok
    ? ok({ resource, match, name, label, level: level.value, intentions: intentions.value })
    : intentions
}

const unsaid: At<string> = ok('')

/** Of members that differ in case alone the last counts; each must be a text. */
function lastText(text: string, body: HclBlock, block: string, member: 'policy' | 'intentions'): At<string> {
  let last = unsaid
  // No generator: this runs for each of thousands of rules.
  for (const { name, node } of body.members) {
    if (!isNamed(name, member)) continue
    last = scalarText(text, node, `root.${block}.${member}`)
    if (!last.ok) return last
  }
  return last
}

function scalarText(text: string, node: HclNode, name: string): At<string> {
  if (node.kind === 'scalar') return ok(String(node.value))
  return refusedAt(
    text,
    node,
    `${name}: unknown type for string *ast.${node.kind === 'list' ? 'ListType' : 'ObjectType'}`,
  )
}

function refusedAt(text: string, { offset }: HclNode, message: string): At<never> {
  return err(fieldProblemText(text, { offset, message, about: 'other' }))
}

function problemOf(blocks: readonly ReadBlock[], scalars: Read['scalars']): string | undefined {
  const acl = scalars.get('acl') ?? ''
  return (
    invalidScalar('acl', acl) ??
    firstInvalid(blocks) ??
    invalidScalar('keyring', scalars.get('keyring') ?? '') ??
    invalidScalar('operator', scalars.get('operator') ?? '')
  )
}

function firstInvalid(blocks: readonly ReadBlock[]): string | undefined {
  for (const block of blocks) {
    const problem = invalidRule(block)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** All values hold by now. An empty scalar says nothing. */
function ruleSetOf({ blocks, scalars }: Read, grammar: Grammar): RuleSet {
  const rules: Partial<Record<LabelledResource, Rule[]>> = {}
  for (const { resource, match, label, level, intentions } of blocks) {
    const rule: Rule = { resource, match, label, level: levelOf(level) }
    const list = rules[resource] ?? []
    list.push(intentions === '' ? rule : { ...rule, intentions: levelOf(intentions) })
    rules[resource] = list
  }
  const said: Partial<Record<ScalarResource, Level>> = {}
  for (const [resource, level] of scalars) if (level !== '') said[resource] = levelOf(level)
  return { grammar, rules, scalars: said }
}

function levelOf(text: string): Level {
  invariant(isLevel(text), 'a level that does not exist was found to hold', { level: text })
  return text
}
