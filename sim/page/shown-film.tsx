import { render } from 'preact'
import { App } from './app.tsx'
import { documentFilm } from './document-film.ts'

/** Shows the film that lies in this document. */
export async function showFilm(root: Element): Promise<void> {
  let opened = 0
  const source = await documentFilm(document, {
    onOpen: () => {
      opened++
      draw()
    },
    onFailed: reportError,
  })
  const draw = (): void => render(<App source={source} opened={opened} />, root)
  root.textContent = ''
  draw()
  // Benchmarks read this mark: everything that the first picture needs has been drawn.
  requestAnimationFrame(() => performance.mark('first picture'))
}
