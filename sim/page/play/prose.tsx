import type { PlayLessonTold } from '../../play/lessons-api.ts'

/** What a run or a check has told last. */
export type Told = Pick<PlayLessonTold, 'text' | 'picture'>

/** Paragraphs of Markdown, with the marks that people read over. */
export function Prose({ text }: { readonly text: string }) {
  return (
    <div class="prose">
      {text
        .trim()
        .split(/\n{2,}/)
        .map((paragraph) => (
          <p key={paragraph}>{flowing(paragraph)}</p>
        ))}
    </div>
  )
}

/** Lines of a paragraph follow one another; each item of a list begins a line, and code keeps its lines. */
function flowing(paragraph: string): string {
  if (/^(?:```| {4})/.test(paragraph)) return paragraph
  return paragraph.replace(/\n *(?!(?:[-*]|\d+\.) )/g, ' ')
}

export function ToldOf({ text, picture }: Told) {
  return (
    <div>
      {picture === null ? null : (
        <p>
          <a href={picture} target="_blank" rel="noreferrer">
            The picture of the run
          </a>
        </p>
      )}
      <pre class="told">{text}</pre>
    </div>
  )
}
