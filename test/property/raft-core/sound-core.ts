import { bootstrapped } from '../../../src/raft/core/configuration.ts'
import { snapshotMetaAt } from '../../../src/raft/core/snapshot.ts'
import { createRaft } from '../../../src/raft/core/state.ts'
import { step } from '../../../src/raft/core/step.ts'
import type { WorldCore } from './world.ts'

export const soundCore: WorldCore = { bootstrapped, createRaft, snapshotMetaAt, step }
