import type { ExcuseNames, Judge } from '../../../../sim/checkers/checker.ts'
import type { ServiceVersion, ServiceVersions } from '../../../../sim/checkers/reads/service-versions.ts'
import { TimelyAnswers } from '../../../../sim/checkers/reads/timely-answers.ts'
import type { TimelyAnswer } from '../../../../sim/checkers/reads/timely-facts.ts'
import { AcknowledgedRegistrations } from '../../../../sim/checkers/registrations/acknowledged-registrations.ts'
import { HeardChecks } from '../../../../sim/checkers/registrations/heard-checks.ts'
import { Telling } from '../../../../sim/checkers/registrations/owing.ts'
import type { CheckHeard, RegistrationChange } from '../../../../sim/checkers/registrations/registration-facts.ts'
import type { CauseRow } from './row.ts'

const network = { rttMs: 6, rttMaxMs: 10, loss: 0 }

/** An agent in contact since its first second; what happens is told to both laws of registrations. */
function registered(judge: Judge<ExcuseNames>) {
  let nowUs = 1e6
  const run = { ...judge, nowUs: () => nowUs, contactSinceUs: () => 1e6, network }
  const told = new Telling(run)
  const laws = [new AcknowledgedRegistrations(run, told), new HeardChecks(run, told)] as const
  const asked = (items: Record<string, string>, heard: readonly CheckHeard[] = []): RegistrationChange => {
    const times = { calledUs: nowUs, endedUs: nowUs }
    const change: RegistrationChange = {
      ...{
        node: 'c1',
        what: 'PUT',
        items: new Map(Object.entries(items)),
        heard,
        aliases: [],
        outcome: 'open',
        ...times,
      },
    }
    for (const law of laws) law.began(change)
    return change
  }
  return {
    registrations: laws[0],
    answered: (items: Record<string, string>, heard: readonly CheckHeard[] = []) => {
      const change = asked(items, heard)
      change.outcome = 'done'
      for (const law of laws) law.ended(change)
    },
    refused: (heard: readonly CheckHeard[]) => {
      const change = asked({}, heard)
      change.outcome = 'not held'
      for (const law of laws) law.ended(change)
    },
    listed: (items: Record<string, string>, statuses: Record<string, string> = {}) => {
      const rows = {
        items: new Map(Object.entries(items)),
        statuses: new Map(Object.entries(statuses)),
        owners: new Map(),
        proxyPorts: new Map(),
      }
      for (const law of laws) law.listed('c1', rows, false)
    },
    /** Looks every half second, as a run does. */
    later: (seconds: number) => {
      for (let look = 0; look < 2 * seconds; look++) {
        nowUs += 5e5
        for (const law of laws) law.lookAround()
      }
    },
  }
}

const web = 'service web'
const check = (status: CheckHeard['status']): readonly CheckHeard[] => [{ checkId: 'web', ttlMs: 600_000, status }]

/** The service was `one` by an event, then `two` by another. */
function asker(judge: Judge<ExcuseNames>): (answer: Partial<TimelyAnswer>) => void {
  const version = (instances: string, event: number): ServiceVersion => {
    return { instances, health: '', found: '', offered: '', nodes: '', places: new Map(), event }
  }
  const versions = { between: () => [version('one', 11), version('two', 12), version('two', 12)] }
  const run = { ...judge, nowUs: () => 31e6, contactSinceUs: () => 1e6, staleDefaultMs: 0 }
  const law = new TimelyAnswers(run, versions as unknown as ServiceVersions, { changedUs: 0, lapseUs: 0 })
  const usual = { service: 'web', of: 'instances', agent: 'c1', how: 'default', told: 'three', nodes: [] } as const
  return (answer) => {
    law.answered({ ...usual, near: undefined, calledUs: 30e6, lastContactMs: undefined, kept: undefined, ...answer })
  }
}

/** Laws of the catalog, and of answers about it. */
export const catalogRows: readonly CauseRow[] = [
  [
    'E5',
    [12, 11],
    (judge, at) => {
      const agent = registered(judge)
      agent.answered({ [web]: 'one' })
      at(11)
      agent.listed({ [web]: 'one' })
      at(12)
      agent.answered({ [web]: 'two' })
      at(13)
      agent.later(120)
    },
  ],
  [
    'E5',
    [11],
    (judge, at) => {
      const agent = registered(judge)
      agent.later(5)
      at(11)
      agent.answered({ [web]: 'one' })
      agent.listed({ [web]: 'one' })
      at(12)
      agent.registrations.deregistered({ node: 'c1', serviceId: 'web', checkId: '' } as never)
    },
  ],
  [
    'E5',
    [11],
    (judge, at) => {
      const agent = registered(judge)
      at(11)
      agent.answered({ 'check web': 'one' })
      at(12)
      agent.later(1)
      agent.refused(check('passing'))
    },
  ],
  [
    'E6',
    [12, 11],
    (judge, at) => {
      const agent = registered(judge)
      agent.answered({}, check('warning'))
      at(11)
      agent.listed({}, { web: 'warning' })
      at(12)
      agent.answered({}, check('passing'))
      at(13)
      agent.later(120)
    },
  ],
  ['E8', [11, 12], (judge) => asker(judge)({})],
  [
    'E9',
    [15, 11, 12],
    (judge, at) => {
      const asked = asker(judge)
      const wanted = { mustRevalidate: false, maxAgeS: undefined, staleIfErrorS: undefined }
      at(15)
      asked({ told: 'one', kept: { wanted, hit: 'MISS', age: undefined }, calledUs: 20e6 })
      at(16)
      asked({ kept: { wanted, hit: 'HIT', age: '0' }, calledUs: 31e6 })
    },
  ],
]
