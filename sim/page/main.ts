import { showFilm } from './shown-film.tsx'

const root = document.querySelector('#page')
if (root !== null) await showFilm(root)
