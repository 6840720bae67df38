import { checker } from '../checker.ts'
import type { Facts } from '../facts.ts'
import { type Reach, rareStates } from '../rare-states.ts'

export const fireMarks = rareStates({
  'snapshot under partition': "a server took a leader's snapshot while some link was cut",
  'snapshot installed': 'a follower was so far behind that it took a snapshot of its leader',
  'configuration changed under fire': 'the members of the consensus group changed while something was broken',
  'machine replaced': 'a machine that was lost came back empty, and was given a vote',
})

type FireMark = keyof typeof fireMarks.marks

/** Observes consensus while faults are in effect. */
function seen(reach: Reach<FireMark>, { event, isCut, hasReplacedVoter }: Facts['event seen']): void {
  if (event === 'snapshot installed') reach('snapshot installed')
  if (event === 'snapshot installed' && isCut) reach('snapshot under partition')
  if (event !== 'members changed') return
  if (isCut) reach('configuration changed under fire')
  if (hasReplacedVoter()) reach('machine replaced')
}

export const underFire = checker({
  codes: {},
  make: ({ of }) => of(fireMarks),
  takes: { 'event seen': (reach, fact) => seen(reach, fact) },
})
