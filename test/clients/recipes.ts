import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The code in docs/integrate is cut out of the tests, so that what a reader copies is what runs. A test marks a
 * part with `// recipe: <name>` and `// end of recipe`; a page asks for it with the comment
 * `<!-- recipe: <name>, from <file> -->` before a block of code. `node test/clients/recipes.ts` fills the blocks.
 */
const root = join(import.meta.dirname, '../..')
const pages = join(root, 'docs/integrate')
const marked = /\/\/ recipe: (.+)\n([\s\S]*?)\n\s*\/\/ end of recipe/g
const asked = /<!-- recipe: (.+), from (\S+) -->\n```ts\n[\s\S]*?```/g

export interface Page {
  file: string
  written: string
  /** What should be written. */
  renewed: string
}

/** @throws Error when a page asks for a recipe that no test marks. */
export function renewedPages(): Page[] {
  return pageFiles().map((file) => {
    const written = readFileSync(join(pages, file), 'utf8')
    const renewed = written.replaceAll(asked, (_block, name: string, from: string) => {
      const recipe = recipesOf(from).get(name)
      if (recipe === undefined)
        throw new Error(`docs/integrate/${file} asks for "${name}", which ${from} does not mark`)
      return `<!-- recipe: ${name}, from ${from} -->\n\`\`\`ts\n${recipe.trim()}\n\`\`\``
    })
    return { file: `docs/integrate/${file}`, written, renewed }
  })
}

/** Recipes that no page asks for, as `<file>: <name>`. */
export function unusedRecipes(): string[] {
  const used = pageFiles().flatMap((file) =>
    [...readFileSync(join(pages, file), 'utf8').matchAll(asked)].map(([, name, from]) => `${from}: ${name}`),
  )
  const all = readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith('.ts') && !file.startsWith('recipes'))
    .flatMap((file) => [...recipesOf(`test/clients/${file}`).keys()].map((name) => `test/clients/${file}: ${name}`))
  return all.filter((recipe) => !used.includes(recipe))
}

function pageFiles(): string[] {
  return readdirSync(pages).filter((file) => file.endsWith('.md'))
}

function recipesOf(file: string): Map<string, string> {
  const text = readFileSync(join(root, file), 'utf8')
  return new Map([...text.matchAll(marked)].map(([, name = '', code = '']) => [name, code]))
}

if (import.meta.main) {
  for (const { file, written, renewed } of renewedPages()) {
    if (written === renewed) continue
    writeFileSync(join(root, file), renewed)
    process.stdout.write(`${file} renewed\n`)
  }
}
