import type { FilmOverview, MachineLane } from '../picture/film-format.ts'
import { seconds, type View } from './view.ts'

const signs: Readonly<Record<string, string>> = {
  alive: '●',
  suspect: '?',
  failed: '✕',
  leaving: '→',
  left: '→',
  forgotten: '·',
}

/** What each agent believes of each other one at the cursor, with the truth above. */
export function MembersPanel({ overview, view }: { readonly overview: FilmOverview; readonly view: View }) {
  const agents = overview.machines.filter(({ releases }) => releases.length > 0)
  const at = view.cursorUs
  return (
    <div>
      <h2>
        Members <small>at {seconds(at)} s</small>
      </h2>
      <table class="members">
        <thead>
          <tr>
            <th scope="col">believes</th>
            {agents.map(({ name }) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr class="truth">
            <th scope="row">in truth</th>
            {agents.map((lane) => (
              <td key={lane.name} class={lifeAt(lane, at)}>
                {lifeAt(lane, at)}
              </td>
            ))}
          </tr>
          {agents.map((believer) => (
            <tr key={believer.name}>
              <th scope="row">{believer.name}</th>
              {agents.map(({ name }) => {
                const status = lifeAt(believer, at) === 'down' ? '' : beliefAt(believer, name, at)
                return (
                  <td key={name} class={status} title={`${believer.name} believes ${name}: ${status || 'nothing'}`}>
                    {signs[status] ?? ''}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="hint">● alive, ? suspected, ✕ failed, → leaving or left; empty: not known</p>
    </div>
  )
}

function lifeAt({ lives }: MachineLane, at: number): string {
  return lives.findLast(([fromUs]) => fromUs <= at)?.[1] ?? 'down'
}

function beliefAt({ beliefs }: MachineLane, member: string, at: number): string {
  return beliefs.findLast(([fromUs, name]) => name === member && fromUs <= at)?.[2] ?? ''
}
