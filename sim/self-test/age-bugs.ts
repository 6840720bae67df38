import { patchesOf } from './patch.ts'
import type { PlantedBug } from './planted-bug.ts'

const hunt = 'answers-have-an-age'
const inCatalog = patchesOf('src/features/catalog')
const inCache = patchesOf('src/agent/requests/asking')
const inResults = patchesOf('src/agent/requests/serving')
const inDns = patchesOf('src/dns')
const inQuery = patchesOf('src/features/query')
const inModel = patchesOf('src/model')

/** Bugs of lists while they change, of the age of kept answers, and of the order by distance. */
export const ageBugs: readonly PlantedBug[] = [
  {
    row: 310,
    name: 'lists-are-cut',
    about: 'a list of the instances of a service has at most three',
    patches: [inCatalog('views.js', 'hasMeta(node, nodeMeta))', 'hasMeta(node, nodeMeta) && placed.length < 3)')],
    hunt,
    foundBy: ['E8'],
  },
  {
    row: 311,
    name: 'first-tag-is-not-listed',
    about: 'a list leaves out the first tag of each instance',
    patches: [inCatalog('model.js', 'ServiceTags: service.tags,', 'ServiceTags: service.tags.slice(1),')],
    hunt,
    foundBy: ['E8'],
  },
  {
    row: 312,
    name: 'nothing-is-revalidated',
    about: 'a request that demands revalidation is answered from the cache without asking the servers',
    patches: [inCache('answer-cache.js', '!freshness.revalidate &&', '')],
    hunt,
    foundBy: ['E9'],
  },
  {
    row: 313,
    name: 'answers-do-not-age',
    about: 'a cached answer that cannot be refreshed is reported with age 0',
    patches: [inCache('kept-answer.js', 'this.#inDoubtSinceMs ??= this.#fetchedMs;', 'void this.#fetchedMs;')],
    hunt,
    foundBy: ['E9'],
  },
  {
    row: 393,
    name: 'age-since-the-first-fetch',
    about: 'the age of a cached answer is counted from the time at which the agent asked for it first',
    patches: [inCache('kept-answer.js', 'this.#fetchedMs = this.#env.clock.monoMs();', '')],
    hunt,
    foundBy: ['E9'],
  },
  {
    row: 314,
    name: 'any-answer-if-error',
    about: 'when the servers cannot be reached, every caller gets a cached answer of any age',
    patches: [inCache('answer-cache.js', '(freshness.staleIfErrorMs ?? -1)', '(freshness.staleIfErrorMs ?? 1e9)')],
    hunt,
    foundBy: ['E9'],
  },
  {
    row: 315,
    name: 'farthest-first',
    about: 'a list that is sorted by distance begins with the farthest instance',
    patches: [inModel('coordinate.js', '(a.distance < b.distance ? -1', '(a.distance > b.distance ? -1')],
    hunt,
    foundBy: ['E10'],
  },
  {
    row: 316,
    name: 'distance-without-adjustment',
    about: 'the estimated round-trip time between two nodes leaves out the adjustment terms of their coordinates',
    patches: [
      inModel('coordinate.js', 'return adjusted > 0 ? adjusted : raw;', 'return adjusted > 1e9 ? adjusted : raw;'),
    ],
    hunt,
    foundBy: ['E10'],
  },
  {
    row: 382,
    name: 'health-in-any-order',
    about: 'the health of instances is not sorted by distance, although the question names a node',
    patches: [
      {
        file: 'src/features/health/endpoint.js',
        find: 'nearestFirst(tx, place, found.value, ({ node }) => node.node)',
        replace: 'found.value',
      },
    ],
    hunt,
    foundBy: ['E10'],
  },
  {
    row: 320,
    name: 'names-of-any-age',
    about: 'an agent accepts DNS data that is ten times as old as its configuration allows',
    patches: [inDns('catalog-reads.js', 'return ageOf(meta) > maxStaleMs;', 'return ageOf(meta) > maxStaleMs * 10;')],
    hunt: 'names-in-outages',
    foundBy: ['N2'],
  },
  {
    row: 321,
    name: 'kept-names-of-any-age',
    about: 'a server repeats a cached DNS answer however long ago it heard its leader',
    patches: [inDns('face.js', 'kept.metas.some((meta) => isTooStale(meta, this.#config))', 'kept.metas.length > 9')],
    hunt: 'names-in-outages',
    foundBy: ['N2'],
  },
  {
    row: 322,
    name: 'names-refused-too-early',
    about: 'DNS takes the age of data for three times what it is, and refuses names that are within the bound',
    patches: [inDns('catalog-reads.js', 'return ageOf(meta) > maxStaleMs;', 'return ageOf(meta) * 3 > maxStaleMs;')],
    hunt: 'names-in-outages',
    foundBy: ['N2'],
  },
  {
    row: 323,
    name: 'stale-and-said-to-be-new',
    about: 'a server that has lost its leader says of stale answers that it has just heard it',
    patches: [
      patchesOf('src/agent/requests/serving')(
        'freshness.js',
        'Math.round(status.lastContactMs ?? 0)',
        'Math.min(30, status.lastContactMs ?? 0)',
      ),
    ],
    hunt: 'names-in-outages',
    foundBy: ['E8', 'N2'],
  },
  {
    row: 324,
    name: 'health-without-the-node',
    about: 'health of a service lists the checks of the instance alone, without those of its node',
    patches: [inCatalog('views.js', "...checksOfInstance(tx, node.node, ''), ", '')],
    hunt,
    foundBy: ['E8'],
  },
  {
    row: 325,
    name: 'last-node-is-not-listed',
    about: 'a list of all nodes ends with the fourth',
    patches: [
      inCatalog(
        'endpoint.js',
        'filter((node) => hasMeta(node, wanted))',
        'filter((node) => hasMeta(node, wanted)).slice(0, 4)',
      ),
    ],
    hunt,
    foundBy: ['E8'],
  },
  {
    row: 345,
    name: 'executions-of-any-age',
    about: 'an execution from the cache ignores how fresh its caller wants it',
    patches: [
      inQuery(
        'execute-routes.js',
        'read, freshness.value, request.call)',
        'read, { revalidate: false }, request.call)',
      ),
    ],
    hunt: 'queries-have-an-age',
    foundBy: ['E9'],
  },
  {
    row: 346,
    name: 'executions-do-not-age',
    about: 'an execution from the cache is reported with age 0, however old it is',
    patches: [inQuery('execute-routes.js', 'ageS: Math.floor(ageMs / 1000) }', 'ageS: 0 }')],
    hunt: 'queries-have-an-age',
    foundBy: ['E9'],
  },
  {
    row: 349,
    name: 'kept-lists-outlive-changes',
    about: 'a list that a server has computed once is given to later callers, although its rows have changed',
    patches: [
      inResults('kept-result.js', 'return this.watch?.isCurrent() === true;', 'return this.watch !== undefined;'),
      inResults(
        'kept-result.js',
        'this.#owner.gone(this);\n        const waiting = [...this.#waiting];',
        'const waiting = [...this.#waiting];',
      ),
    ],
    hunt: 'leaders-are-asked',
    foundBy: ['E8'],
  },
  {
    row: 397,
    name: 'older-answers-stay',
    about: 'the answer of a server that is behind takes the place of a cached one, and stays until the next change',
    patches: [inCache('kept-answer.js', 'if (!isEarlier)\n            return;', 'return;')],
    hunt: 'servers-are-behind',
    foundBy: ['E9'],
  },
  {
    row: 398,
    name: 'others-answers-wake',
    about: 'a caller that waits for a change of a cached answer is woken when another caller has it fetched',
    patches: [inCache('kept-answer.js', '(minIndex) => answer.meta.index > minIndex', '() => true')],
    hunt: 'servers-are-behind',
    foundBy: ['W4'],
  },
  {
    row: 399,
    name: 'any-change-wakes',
    about: 'a caller that has a later index of another agent is woken by each change of the cached answer',
    patches: [inCache('kept-answer.js', 'hasFallen || index > waitsFor', 'hasFallen || index !== waitsFor')],
    hunt: 'servers-are-behind',
    foundBy: ['W4'],
  },
  {
    row: 436,
    name: 'cached-query-is-asked-again',
    about: 'an agent that has a cached result of a prepared query asks the servers again, and fails if none answers',
    patches: [
      {
        file: 'src/features/query/execution.js',
        find: 'first === undefined ? await reads.query',
        replace: 'first?.meta.index !== -1 ? await reads.query',
      },
    ],
    hunt: 'queries-have-an-age',
    foundBy: ['E9'],
  },
]
