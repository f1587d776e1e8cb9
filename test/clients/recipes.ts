import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Copies code from the tests to docs/integrate, so that readers copy code that has been tested. A test marks a recipe
 * with `// recipe: <name>` and `// end of recipe`. A page includes it with the comment `<!-- recipe: <name>, from <file>
 * -->` before a code block. `node test/clients/recipes.ts` fills in the blocks.
 */
const root = join(import.meta.dirname, '../..')
const marked = /\/\/ recipe: (.+)\n([\s\S]*?)\n\s*\/\/ end of recipe/g
const asked = /<!-- recipe: (.+), from (\S+) -->\n```\w+\n[\s\S]*?```/g

export interface Page {
  file: string
  written: string
  renewed: string
}

/**
 * Returns all pages with up-to-date recipes.
 *
 * @throws Error if a page includes a recipe that no test marks.
 */
export function renewedPages(): Page[] {
  return pageFiles().map((file) => {
    const written = readFileSync(join(root, file), 'utf8')
    const renewed = written.replaceAll(asked, (_block, name: string, from: string) => {
      const recipe = recipesOf(from).get(name)
      if (recipe === undefined) throw new Error(`${file} asks for "${name}", which ${from} does not mark`)
      return `<!-- recipe: ${name}, from ${from} -->\n\`\`\`ts\n${recipe.trim()}\n\`\`\``
    })
    return { file, written, renewed }
  })
}

/** Returns the recipes that no page includes, as `<file>: <name>`. */
export function unusedRecipes(): string[] {
  const used = pageFiles().flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(asked)].map(([, name, from]) => `${from}: ${name}`),
  )
  const all = globSync('test/clients/*.ts', { cwd: root })
    .filter((file) => !file.startsWith('test/clients/recipes'))
    .flatMap((file) => [...recipesOf(file).keys()].map((name) => `${file}: ${name}`))
  return all.filter((recipe) => !used.includes(recipe))
}

function pageFiles(): string[] {
  return globSync('docs/integrate/*.md', { cwd: root }).sort()
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
