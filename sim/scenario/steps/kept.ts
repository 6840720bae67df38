import { z } from 'zod'
import { heldState } from '../../checkers/held-state.ts'
import { savedNameField, selector } from '../../notation/fields.ts'
import { step } from './step.ts'

export const save = step(
  z.record(savedNameField, selector).describe('Gives the selected nodes a permanent name: { old leader: leader }.'),
  (run, given, path) => {
    for (const [name, selector] of Object.entries(given)) {
      const nodes = run.select(selector)
      if (nodes.length === 0) run.fail([...path, 'save', name], `'${selector.text}' matches no node now`)
      run.saved.set(name, nodes)
      run.tell('note', `${name}: ${nodes.join(' ')}`)
    }
  },
  (given) => Object.keys(given),
)

export const remember = step(
  savedNameField.describe(
    'Saves the state of the leader under this name: catalog, keys, sessions, tokens, roots, intentions.',
  ),
  (run, name, path) => {
    const leader = run.cluster.leader()
    const state = leader === undefined ? undefined : run.cluster.stateOf(leader)
    if (state === undefined) return run.fail([...path, 'remember'], 'there is no leader now')
    const held = heldState(state)
    run.remembered.set(name, held)
    run.tell('note', `${name}: ${[...held].map(([part, rows]) => `${part} ${rows.size}`).join(', ')}`)
  },
)

export const workload = step(
  z.enum(['stop', 'start']).describe('Pauses or resumes the clients of the workload.'),
  (run, to) => run.workload.switch(to),
)
