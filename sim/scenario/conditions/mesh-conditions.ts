import { z } from 'zod'
import { formatDuration } from '../../../src/base/duration.ts'
import { countBound, duration } from '../../notation/fields.ts'
import { condition, judgeCount } from './condition.ts'

const meshBounds = z
  .strictObject({
    datacenter: z
      .string()
      .min(1)
      .optional()
      .describe("Of which datacenter's authority and proxies; if absent, of the first one's, and of all proxies."),
    roots: countBound.optional().describe('Roots that are listed.'),
    rotation: z
      .enum(['none', 'begun', 'requested', 'crossed'])
      .optional()
      .describe(
        'Where the rotation stands: none is under way; it has begun; the new root has been requested; the old one has signed it.',
      ),
    rotations: countBound.optional().describe('Rotations that have ended with a new root.'),
    connections: countBound.optional().describe('Handshakes of proxies that were made.'),
    leaves: countBound.optional().describe('Leaves that proxies were given.'),
    proxies: z
      .literal('current')
      .optional()
      .describe('current: every proxy has a leaf of the active root and knows the roots that are listed.'),
  })
  .describe('The authority of the mesh, as the replicated state has it.')

export const mesh = condition(
  meshBounds,
  (bound, now) => {
    const mesh = now.mesh(bound.datacenter)
    if (mesh === undefined) return 'nobody looks at the mesh'
    if (bound.rotation !== undefined && bound.rotation !== mesh.rotation) return `rotation: ${mesh.rotation}`
    return (
      judgeCount(bound.roots, mesh.roots, 'roots') ??
      judgeCount(bound.rotations, mesh.rotations, 'rotations') ??
      judgeCount(bound.connections, mesh.connections, 'connections') ??
      judgeCount(bound.leaves, mesh.leaves, 'leaves') ??
      (bound.proxies === undefined ? undefined : mesh.behind()[0])
    )
  },
  { isDear: true },
)

const tunnelBounds = z
  .strictObject({
    made: countBound.optional().describe('New connections that were made.'),
    failed: countBound.optional().describe('New connections that failed, of pairs of which one was made before.'),
    'failing for at most': duration
      .optional()
      .describe(
        'The longest time in which new connections of some pair failed: from the first to the next that was made.',
      ),
    broken: countBound.optional().describe('Open connections that broke.'),
  })
  .describe("What became of the connections of 'tunnels', of all groups together.")

export const tunnels = condition(tunnelBounds, (bound, { tunnels }) => {
  const { made, failed, broken, longestMs, lastWhy } = tunnels
  const mostMs = bound['failing for at most'] ?? Number.POSITIVE_INFINITY
  const why = lastWhy === '' ? '' : ` (${lastWhy})`
  if (longestMs > mostMs) return `new connections failed for ${formatDuration(longestMs)}${why}`
  return (
    judgeCount(bound.made, made, 'connections made') ??
    judgeCount(bound.failed, failed, `connections failed${why}`) ??
    judgeCount(bound.broken, broken, `connections broken${why}`)
  )
})
