import type { PlantedBug } from './planted-bug.ts'

const hunt = 'services-are-asked-for'

/** Bugs of what `?filter=` keeps of an answer. */
export const filterBugs: readonly PlantedBug[] = [
  {
    row: 290,
    name: 'not-is-not-heard',
    about: 'a filter ignores `not`',
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
    about: 'a selector over a list looks only at its first item, so that an instance with a failing check passes',
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
