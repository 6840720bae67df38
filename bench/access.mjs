/**
 * What access control costs. After a build:
 *
 *     node bench/access.mjs [--policies=1,10,100,1000]
 *
 * With so many policies of ten rules each: reading their texts; making an authorizer and asking it once; asking it again;
 * and leaving out of a list of 1,000 services what may not be read. CPU of this process.
 */
import { options, printLoad } from './figures.mjs'
import { teamRules } from './team-rules.mjs'

const { authorizerOf } = await import('../dist/src/access/policy-authorizer.js')
const { parseRules } = await import('../dist/src/access/reading.js')

const counts = (options.get('policies') ?? '1,10,100,1000').split(',').map(Number)

/** Of team 7: its keys, services, nodes and sessions, and some exceptions. */
function policy(team) {
  return teamRules({ keys: `teams/${team}`, name: `team-${team}`, team })
}

const names = Array.from({ length: 1000 }, (_, at) => `team-${at % 97}-web-${at}`)
const keys = Array.from({ length: 1000 }, (_, at) => `teams/${at % 97}/config/${at}`)

/** CPU time of one call, in nanoseconds: at least a tenth of a second of them. */
function cost(call) {
  for (let at = 0; at < 20; at++) call()
  let calls = 0
  const before = process.cpuUsage()
  for (;;) {
    for (let at = 0; at < 20; at++) call()
    calls += 20
    const { user, system } = process.cpuUsage(before)
    if (user + system > 100_000) return ((user + system) * 1000) / calls
  }
}

function microseconds(nanoseconds) {
  return (nanoseconds / 1000).toFixed(nanoseconds < 10_000 ? 2 : 0)
}

printLoad(`, Node ${process.version}; microseconds of CPU`)
console.log(
  '| policies | reading all texts | making and asking once | asking for a key | for a service | filtering 1,000 |',
)
console.log('|---|---|---|---|---|---|')
let seen = 0
for (const count of counts) {
  const texts = Array.from({ length: count }, (_, team) => policy(team))
  const read = () => texts.map((text) => parseRules(text, 'new').value)
  const rulesets = read().map((rules, team) => ({ policy: `team-${team}`, rules }))
  const made = () => authorizerOf({ accessor: '', rulesets, defaultPolicy: 'deny', keyListPolicy: false })
  const authorizer = made()
  let at = 0
  const next = (list) => list[at++ % list.length]
  const figures = [
    cost(read),
    cost(() => made().allows('key', next(keys), 'read')),
    cost(() => authorizer.allows('key', next(keys), 'write')),
    cost(() => authorizer.allows('service', next(names), 'read')),
    cost(() => {
      seen += names.filter((name) => authorizer.allows('service', name, 'read')).length
    }),
  ]
  console.log(`| ${count} | ${figures.map(microseconds).join(' | ')} |`)
}
if (seen === 0) throw new Error('nothing may be read: the rules are wrong')
