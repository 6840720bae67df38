import { patchesOf } from './patch.ts'
import type { PlantedBug } from './planted-bug.ts'

const hunt = 'queries-are-executed'
const inQuery = patchesOf('src/features/query')

/** Bugs of prepared queries that are changed while they are executed. */
export const queryBugs: readonly PlantedBug[] = [
  {
    row: 250,
    name: 'near-in-vain',
    about: 'a query with Near does not put the named node first',
    patches: [
      inQuery(
        'execution.js',
        "return near === '' || place <= 0 ? sorted : swapped(sorted, place);",
        "return near === '' || place <= 9 ? sorted : swapped(sorted, place);",
      ),
    ],
    hunt,
    foundBy: ['Q2'],
  },
  {
    row: 251,
    name: 'unwanted-tags-are-wanted',
    about: 'a query ignores tags that instances must not have',
    patches: [inQuery('instances.js', 'return refused.size > 0 && tags', 'return refused.size > 9 && tags')],
    hunt,
    foundBy: ['Q2', 'Q1'],
  },
  {
    row: 252,
    name: 'empty-tags-stay',
    about: 'a query template keeps tags that are empty after interpolation, although RemoveEmptyTags is set',
    patches: [inQuery('template.js', 'removeEmptyTags && tags !== null ?', 'removeEmptyTags && tags === null ?')],
    hunt,
    foundBy: ['Q2'],
  },
  {
    row: 253,
    name: 'any-tag-elsewhere',
    about: 'a query that fails over to another datacenter ignores its tags there',
    patches: [
      inQuery(
        'execute-endpoints.js',
        'const found = instancesOfQuery(tx, service, connect);\n        return { index: found.index, value: found.entries };',
        'const found = instancesOfQuery(tx, { ...service, tags: null }, connect);\n        return { index: found.index, value: found.entries };',
      ),
    ],
    hunt,
    foundBy: ['Q2', 'Q1'],
  },
  {
    row: 254,
    name: 'first-beginning-wins',
    about: 'of several templates that match a name, the one with the shortest prefix is used',
    patches: [
      inQuery(
        'views.js',
        'for (let length = Math.min(key.length, queryNameBytesMax); length >= 0; length--)',
        'for (let length = 0; length <= Math.min(key.length, queryNameBytesMax); length++)',
      ),
    ],
    hunt,
    foundBy: ['Q2'],
  },
]
