import type { PlantedBug } from './planted-bug.ts'

const hunt = 'services-are-asked-for'

/** Bugs of what `?filter=` keeps of an answer. */
export const filterBugs: readonly PlantedBug[] = [
  {
    row: 290,
    name: 'not-is-not-heard',
    about: 'a filter keeps what it has a `not` before',
    patches: [
      {
        file: 'src/filter/program.js',
        find: 'return (entry, meter) => !part(entry, meter);',
        replace: 'return (entry, meter) => part(entry, meter);',
      },
    ],
    hunt,
    foundBy: ['E7'],
  },
  {
    row: 291,
    name: 'first-check-for-all',
    about: 'a selector that goes through a list looks at its first item alone, so that a sick instance passes',
    patches: [
      {
        file: 'src/filter/judgements.js',
        find: 'isListFound(found) && found.some((item) => inner(item, meter));',
        replace: 'isListFound(found) && found.slice(0, 1).some((item) => inner(item, meter));',
      },
    ],
    hunt,
    foundBy: ['E7'],
  },
]
