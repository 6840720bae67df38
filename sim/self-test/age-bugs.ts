import { patchesOf } from './patch.ts'
import type { PlantedBug } from './planted-bug.ts'

const hunt = 'answers-have-an-age'
const inCatalog = patchesOf('src/features/catalog')
const inCache = patchesOf('src/agent/requests/asking')
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
    patches: [inCache('kept-answer.js', 'this.#inDoubtSinceMs ??= since;', 'void since;')],
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
]
