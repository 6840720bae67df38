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
    about: 'a list of the instances of a service ends with the third',
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
    about: 'an answer is given from the cache to those who demand that it is asked for anew',
    patches: [inCache('answer-cache.js', '!freshness.revalidate &&', '')],
    hunt,
    foundBy: ['E9'],
  },
  {
    row: 313,
    name: 'answers-do-not-age',
    about: 'a kept answer is said to be new while it cannot be refreshed',
    patches: [inCache('kept-answer.js', 'this.#inDoubtSinceMs ??= since;', 'void since;')],
    hunt,
    foundBy: ['E9'],
  },
  {
    row: 314,
    name: 'any-answer-if-error',
    about: 'where the servers cannot be asked, a kept answer of any age is given to anybody',
    patches: [inCache('answer-cache.js', '(freshness.staleIfErrorMs ?? -1)', '(freshness.staleIfErrorMs ?? 1e9)')],
    hunt,
    foundBy: ['E9'],
  },
  {
    row: 315,
    name: 'farthest-first',
    about: 'instances that are to come in the order of distance begin with the farthest',
    patches: [inModel('coordinate.js', '(a.distance < b.distance ? -1', '(a.distance > b.distance ? -1')],
    hunt,
    foundBy: ['E10'],
  },
  {
    row: 316,
    name: 'distance-without-adjustment',
    about: 'the estimated time between two nodes leaves out what the space cannot express',
    patches: [
      inModel('coordinate.js', 'return adjusted > 0 ? adjusted : raw;', 'return adjusted > 1e9 ? adjusted : raw;'),
    ],
    hunt,
    foundBy: ['E10'],
  },
]
