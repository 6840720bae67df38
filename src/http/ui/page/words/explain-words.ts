/** Sentences that say why. They take names and numbers, and know no answer of the API. */
export const healthReasonWords = {
  nodeMaintenance: (node: string): string => `An operator put the node ${node} into maintenance.`,
  serviceMaintenance: (service: string, node: string): string =>
    `An operator put the instance ${service} into maintenance on ${node}.`,
  silent: (node: string): string =>
    `The agent of ${node} does not answer the other agents: it is stopped, or the network to it is interrupted.`,
  check: (name: string, status: string): string => `The check "${name}" is ${status}.`,
  checkOfNode: (name: string, node: string, status: string): string =>
    `The check "${name}" of the node ${node}, which counts for all of its instances, is ${status}.`,
  returned: 'DNS and ?passing return this instance.',
  leftOut: 'DNS and ?passing leave this instance out.',
  onlyPassing: 'DNS leaves it out, because only_passing is set in the configuration of DNS; so does ?passing.',
  warning: 'DNS still returns this instance; ?passing leaves it out.',
  warningWeight: (warning: number, passing: number): string =>
    `In SRV records it has the weight ${warning}, not ${passing}.`,
} as const

export const rightWords = {
  nobody: 'A caller without a token',
  token: (accessor: string): string => `The token ${accessor}`,
  verdict: (whose: string, isAllowed: boolean, why: string): string =>
    `${whose} is ${isAllowed ? 'allowed' : 'denied'} this, because ${why}.`,
  rule: (rule: string, level: string, policy: string): string => `${rule} is "${level}" in the policy ${policy}`,
  default: (level: string): string => `no rule matches, and the default policy is ${level}`,
  unrestricted: 'the token may do everything',
  notEnforced: 'the settings of access control do not require this right',
} as const

export const rotationWords = {
  begun: 'It waits for the new root: the provider must create it.',
  requested: 'It waits for the crossing: the old root must sign the new one.',
  crossed: 'It waits to activate the new root, from which point it signs all leaves.',
  otherStep: (step: string): string => `It is at the step "${step}".`,
  begins: (when: string): string => `There is room for another root from ${when} on.`,
  problem: (why: string): string => `The leader cannot go on: ${why}.`,
} as const

export const voteWords = {
  notReported: 'Autopilot does not report on this server, so it gets no vote.',
  whenHealthy: 'A server gets its vote when it has been healthy for the stabilization time.',
  waits: (since: string, wait: string): string =>
    `It has been healthy since ${since}. It gets its vote after ${wait}, unless it is configured as a non-voter.`,
  stabilizationTime: 'the stabilization time',
  threshold: 'the threshold',
  contact: (contact: string, threshold: string): string =>
    `It last heard from the leader ${contact} ago; more than ${threshold} is too long.`,
  log: (index: number, term: number): string =>
    `Its log ends at index ${index} in term ${term}, which may be too far behind the leader's.`,
  gossip: (status: string): string => `Gossip reports it as ${status}, so its agent is stopped or cut off.`,
  mayFail: (tolerance: number, voters: number): string =>
    `${tolerance} of ${voters} voters may fail, and the rest still elects a leader.`,
  single: 'There is a single voter: when it fails, nothing can be written until it is back.',
  noneMayFail: (voters: number): string =>
    `No more of the ${voters} voters may fail: the next failure leaves no majority.`,
} as const
