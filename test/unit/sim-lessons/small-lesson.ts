import { expect } from 'vitest'
import type { Lesson } from '../../../sim/lessons/lesson.ts'
import { loadLesson } from '../../../sim/lessons/load.ts'

/** A lesson with a task of each kind. */
export const smallLessonText = `
lesson: Small
minutes: 5
aims: [know something]
reading: Read this.
predict: { question: What happens?, answer: Nothing. }
run: { page: calm.yaml, seed: 1, look: Look at s1. }
tasks:
  - { kind: choice, task: Choose., choices: { a: one, b: two, c: three, d: four }, right: b, why: Because., hint: Think. }
  - kind: page
    task: Edit.
    page: calm.yaml
    may change: [cluster.dc1.servers, steps.2]
    seeds: 1..2
    added: { steps: [{ step: more, wait: 1s }], demands: { judged: { R1: 1 } } }
    solution: [{ replace: "3", by: "5" }]
    why: Because.
  - { kind: seed, task: Find., page: calm.yaml, seeds: 1..9, breaks: R1, solution: 4, why: Because. }
  - kind: cause
    task: Why?
    bug: lesson-1
    page: ../../scenarios/swarm.yaml
    seed: 2
    choices: { a: one, b: two, c: three, d: four }
    right: c
    event: the vote
    evidence: { violation: "(?<voter>s\\\\d) votes for (?<name>\\\\S+)", node: "\${voter}", within: 2s, says: "^sends to \${name}" }
    why: Because.
read on: [a book]
`

export function smallLesson(): Lesson {
  const loaded = loadLesson('lesson.yaml', smallLessonText)
  if (!loaded.ok) expect.fail(loaded.error.join('\n'))
  return loaded.value
}
