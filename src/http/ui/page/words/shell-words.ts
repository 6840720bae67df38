import type { PageName } from '../place/place.ts'

/** Sentences of the frame around all pages, and of failures. `name`: the program's name, as in `svc kv get`. */
export const pageTitles: Readonly<Record<PageName, string>> = {
  services: 'Services',
  nodes: 'Nodes',
  keys: 'Keys',
  sessions: 'Sessions',
  queries: 'Queries',
  intentions: 'Intentions',
  access: 'Access',
  cluster: 'Cluster',
  authority: 'Certificates',
  happenings: 'Last 15 minutes',
}

/** The key that opens a page after `g`. */
export const pageKeys: Readonly<Record<string, PageName>> = {
  s: 'services',
  n: 'nodes',
  k: 'keys',
  e: 'sessions',
  q: 'queries',
  i: 'intentions',
  a: 'access',
  c: 'cluster',
  r: 'authority',
  h: 'happenings',
}

export const shellWords = {
  skip: 'Skip to content',
  views: 'Pages',
  datacenter: 'Datacenter',
  ownDatacenter: 'of this agent',
  colours: 'Colours',
  coloursOf: { system: 'of the system', light: 'light', dark: 'dark' },
  token: 'Token',
  tokenGiven: 'Token: given',
  tokenNone: 'Token: none',
  tokenAsk: 'Secret ID of a token. It is kept for this tab only, and sent in a header.',
  useToken: 'Use this token',
  dropToken: 'Use no token',
  cancel: 'Cancel',
  help: 'Keys of the keyboard',
  close: 'Close',
  keys: [
    ['/', 'go to the first field that searches'],
    ['g, then a letter', 'open a page: s services, n nodes, k keys, e sessions, q queries, i intentions, a access'],
    ['', 'c cluster, r certificates, h last 15 minutes'],
    ['t', 'give a token'],
    ['?', 'show or hide these keys'],
    ['Esc', 'close what is open'],
  ],
  outage: 'The servers have no leader: nothing can be written, and what is shown may be out of date.',
  outageWhere: 'See the members',
  loading: 'Loading …',
  stale: 'What is shown may be out of date.',
  copy: 'Copy',
  copied: 'Copied',
  command: 'Command line',
  showMore: (count: number): string => `Show ${count} more`,
  filter: 'Text filter',
  expression: 'Expression',
  none: 'none',
  noChecks: 'no checks',
  id: 'ID',
} as const

export const failureWords = {
  unreachable: 'The agent does not answer: it is stopped, or the network to it is interrupted.',
  unreachableDo: 'The page asks again every few seconds.',
  unreachableWrite: 'The write may have been carried out all the same. Send it again when the agent answers.',
  noLeader: 'The servers have no leader, so nothing can be read from or written to the cluster.',
  noLeaderDo: (name: string): string =>
    `A majority of the servers must run and reach each other: ${name} members, then the log of a server.`,
  noToken: 'Access control is on, and the anonymous token does not have this right.',
  noRight: 'The token does not have this right.',
  needs: (right: string): string => `The right that is missing: ${right}.`,
  unknownToken: 'This datacenter does not know the token: it is mistyped, deleted, expired, or of another datacenter.',
  switchedOff: 'Access control is off in this datacenter, so every caller has all rights.',
  switchedOffDo: 'To turn it on, set acl.enabled in the configuration of all agents.',
  absent: 'This does not exist, or it was deleted.',
  conflict: 'Somebody changed it meanwhile, so nothing was written.',
  conflictDo: 'Below is the present state. Compare it with what you wrote, then write again or drop your change.',
  why: 'Why?',
  enterToken: 'Enter a token',
  emptyWithoutToken: 'Access control is on, and no token is given: lists show what everybody may read.',
} as const
