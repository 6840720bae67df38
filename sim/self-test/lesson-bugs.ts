/**
 * Planted bugs by the lessons that ask for their cause. A student sees this name alone, in every command that takes
 * `--bug`, because the name of a bug tells its cause.
 */
export const lessonBugs: Readonly<Record<string, string>> = {
  'lesson-1': 'old-votes-counted',
  'lesson-2': 'longer-log-wins',
  'lesson-3': 'half-is-a-quorum',
  'lesson-4': 'read-joins-a-round',
  'lesson-5': 'lease-after-a-pause',
  'lesson-6': 'refutation-without-a-number',
  'lesson-7': 'doubt-without-bound',
  'lesson-8': 'removed-checks-stay',
  'lesson-9': 'parked-too-late',
  'lesson-10': 'lock-delay-ignored',
  'lesson-11': 'no-tombstone',
  'lesson-12': 'restored-index-falls',
  'lesson-13': 'one-of-three-goes',
  'lesson-14': 'mode-ends-too-early',
  'lesson-15': 'crossing-omitted',
  'lesson-16': 'write-forgets-its-datacenter',
  'lesson-17': 'joined-too-early',
  'lesson-18': 'names-of-any-age',
}
