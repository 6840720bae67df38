/** The answer of `/v1/acl/explain`. */
export interface Explanation {
  readonly AccessorID: string
  readonly Allowed: boolean
  readonly DecidedBy: 'rule' | 'default' | 'unrestricted' | 'not-enforced'
  readonly Rule: string
  readonly Level: string
  readonly Policy: string
}

export const resources = [
  'key',
  'service',
  'node',
  'session',
  'agent',
  'event',
  'query',
  'intention',
  'acl',
  'keyring',
  'operator',
] as const

/** The parts of a right that is written as on the command line: `service:write web`. */
export function questionOf(right: string): {
  readonly resource: string
  readonly access: string
  readonly name: string
} {
  const [, resource = '', access = '', name = ''] = /^(\w+):(\w+)(?: (.*))?$/s.exec(right) ?? []
  return { resource, access, name }
}

/** What the server would decide, and why. It contains no secret. */
export function decisionLine({ AccessorID, Allowed, DecidedBy, Rule, Level, Policy }: Explanation): string {
  const token = AccessorID === '' ? 'A caller without a token' : `The token ${AccessorID}`
  const verdict = `${token} is ${Allowed ? 'allowed' : 'denied'} this, because`
  switch (DecidedBy) {
    case 'rule':
      return `${verdict} ${Rule} is "${Level}" in the policy ${Policy}.`
    case 'default':
      return `${verdict} no rule matches, and the default policy is ${Level}.`
    case 'unrestricted':
      return `${verdict} the token may do everything.`
    case 'not-enforced':
      return `${verdict} the settings of access control do not require this right.`
  }
}
