/**
 * The meaning of access control's rules, written a second time to check the first: without tables, order or cache, and
 * without any code of `src/access`. Reference: access-control.md#evaluation, access-control.md#legacy-grammar.
 */

/** One line of rules: `key_prefix "a" { policy = "read" }`; a scalar has no label. */
export interface Statement {
  readonly block: string
  readonly label: string
  readonly policy: string
  /** The `intentions` policy of a service rule; empty if the rule has none. */
  readonly intentions: string
}

export interface JudgedToken {
  /** A legacy token has one text, in which every label is a prefix. */
  readonly texts: readonly { readonly legacy: boolean; readonly statements: readonly Statement[] }[]
  readonly defaultPolicy: 'allow' | 'deny'
  /** Whether listing keys needs a rule. */
  readonly listing: boolean
}

export interface Question {
  readonly resource: string
  readonly name: string
  readonly right: 'read' | 'list' | 'write'
}

export function judge(token: JudgedToken, { resource, name, right }: Question): boolean {
  if (right === 'list' && resource === 'key' && !token.listing) return true
  const said = sayOn(token, resource, name)
  if (said === undefined) return token.defaultPolicy === 'allow' && resource !== 'acl'
  return granted(said).includes(right)
}

/**
 * Deleting everything below a prefix needs a rule that covers the prefix with `write`, and every rule at or below it
 * must say `write`.
 */
export function judgeTree(token: JudgedToken, prefix: string): boolean {
  const keys = statementsOn(token, 'key')
  const covering = longest(keys.filter(({ exact, label }) => !exact && prefix.startsWith(label)))
  const covers = covering.length === 0 ? token.defaultPolicy === 'allow' : strictest(policiesOf(covering)) === 'write'
  const below = keys.filter(({ label }) => label.startsWith(prefix))
  return covers && below.every((one) => strictest(policiesOf(twinsOf(keys, one))) === 'write')
}

/**
 * Parses texts as plain as those that scenarios write: blocks with a label and scalars, without nesting or escapes.
 * Throws at anything else, because skipping a rule would make the judgement wrong.
 */
export function statementsOf(text: string): readonly Statement[] {
  const statements: Statement[] = []
  const pattern = /\s*(?:#[^\n]*\n)?(?:(\w+)\s*=\s*"(\w*)"|(\w+)\s+"([^"\\]*)"\s*\{([^{}]*)\})\s*/y
  for (let at = 0; at < text.length; at = pattern.lastIndex) {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found === null) throw new Error(`this checker cannot parse the rules at offset ${at}: ${text}`)
    const [, scalar, value = '', block = '', label = '', body = ''] = found
    if (scalar !== undefined) statements.push({ block: scalar, label: '', policy: value, intentions: '' })
    else statements.push({ block, label, policy: valueIn(body, 'policy'), intentions: valueIn(body, 'intentions') })
  }
  return statements
}

interface Applying {
  readonly label: string
  readonly exact: boolean
  readonly statement: Statement
}

const scalars = ['acl', 'keyring', 'operator']

/** The policy for one name; undefined: no rule names it. */
function sayOn(token: JudgedToken, resource: string, name: string): string | undefined {
  if (scalars.includes(resource)) {
    return strictest(policiesOf(statementsOn(token, resource)).filter((said) => said !== ''))
  }
  const all = statementsOn(token, resource === 'intention' ? 'service' : resource)
  const same = all.filter(({ exact, label }) => exact && label === name)
  const speaking = same.length > 0 ? same : longest(all.filter(({ exact, label }) => !exact && name.startsWith(label)))
  const policy = strictest(policiesOf(speaking))
  if (resource !== 'intention' || policy === undefined) return policy
  const intentions = strictest(speaking.map(({ statement }) => statement.intentions).filter((said) => said !== ''))
  return intentions ?? (policy === 'deny' ? 'deny' : 'read')
}

function statementsOn(token: JudgedToken, resource: string): readonly Applying[] {
  return token.texts.flatMap(({ legacy, statements }) =>
    statements.flatMap((statement): readonly Applying[] => {
      const { block, label } = statement
      if (legacy && block === 'acl') return []
      if (block === resource) return [{ label, exact: !legacy, statement }]
      return block === `${resource}_prefix` && !legacy ? [{ label, exact: false, statement }] : []
    }),
  )
}

function longest(applying: readonly Applying[]): readonly Applying[] {
  const most = Math.max(...applying.map(({ label }) => label.length))
  return applying.filter(({ label }) => label.length === most)
}

function twinsOf(all: readonly Applying[], { label, exact }: Applying): readonly Applying[] {
  return all.filter((other) => other.label === label && other.exact === exact)
}

function policiesOf(applying: readonly Applying[]): readonly string[] {
  return applying.map(({ statement }) => statement.policy)
}

/** Deny beats write beats list beats read. */
function strictest(policies: readonly string[]): string | undefined {
  return ['deny', 'write', 'list', 'read'].find((policy) => policies.includes(policy))
}

function granted(policy: string): readonly string[] {
  switch (policy) {
    case 'write':
      return ['read', 'list', 'write']
    case 'list':
      return ['read', 'list']
    case 'read':
      return ['read']
    default:
      return []
  }
}

function valueIn(body: string, member: string): string {
  return new RegExp(`\\b${member}\\s*=\\s*"(\\w*)"`).exec(body)?.[1] ?? ''
}
