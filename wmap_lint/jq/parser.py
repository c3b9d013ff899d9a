"""jq tokens → syntax tree (floor 0), for the whole grammar of jq 1.7 and 1.8.

The grammar, loosest first (established by running jq 1.8.2; the same in gojq since 0.12.18)::

    program    := [module METADATA ;] (import | include)* query
    query      := definition query | label $x "|" query | postfix-bindings "|" query | query , query | expression
    bindings   := expression "as" patterns "|" query          binds all of the expression to its left
    expression := // (right) < = |= … (none) < or < and < == < … (none) < + - < * / %
    unary      := "-" unary | "try" unary ["catch" unary] | term
    term       := . .. .name ."name" term[…] term? literal string (query) [query] {…} if reduce foreach f(…) $x @f

Texts are bounded: :data:`MAX_LENGTH` characters and :data:`MAX_DEPTH` levels of nesting, so that every walk over
a tree may recurse.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypeVar

from wmap_lint.jq import ast
from wmap_lint.jq.lexer import KEYWORDS, JqSyntaxError, Token, TokenKind, tokenize
from wmap_lint.record import replace

MAX_LENGTH = 65_536
MAX_DEPTH = 100

# Binding power of the operators: (level, associativity).
OPERATORS: dict[str, tuple[int, str]] = {
    "//": (1, "right"),
    **dict.fromkeys(("=", "|=", "+=", "-=", "*=", "/=", "%=", "//="), (2, "none")),
    "or": (3, "left"),
    "and": (4, "left"),
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">="), (5, "none")),
    "+": (6, "left"),
    "-": (6, "left"),
    "*": (7, "left"),
    "/": (7, "left"),
    "%": (7, "left"),
}
ASSIGNMENTS = frozenset(operator for operator, (level, _) in OPERATORS.items() if level == 2)

_WORDS: dict[str, bool | None] = {"null": None, "true": True, "false": False}
_AnyNode = TypeVar("_AnyNode", bound=ast.Node)


@functools.lru_cache(maxsize=4096)
def parse(text: str) -> ast.Program:
    """The syntax tree of a program.

    Raises :class:`JqSyntaxError` for a text that jq would not parse, for one without a main expression (an
    empty one, or only definitions), and for one beyond the bounds of this module. Names are not resolved.
    """
    if len(text) > MAX_LENGTH:
        raise JqSyntaxError(
            f"the expression is {len(text):,} characters long; at most {MAX_LENGTH:,} are read",
            MAX_LENGTH,
            len(text),
        )
    if (nul := text.find("\0")) >= 0:
        raise JqSyntaxError("a NUL character; jq would stop reading here", nul, nul + 1)
    return _Parser(text, tokenize(text)).program()


class _Parser:
    def __init__(self, text: str, tokens: list[Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.index = 0
        self.token = tokens[0]
        self.depth = 0
        self.opened: list[Token] = []

    # -- tokens ---------------------------------------------------------------------------------------

    def advance(self) -> Token:
        token = self.token
        if token.kind is not TokenKind.END:
            self.index += 1
            self.token = self.tokens[self.index]
        return token

    def at(self, text: str) -> bool:
        return self.token.text == text and self.token.kind in (TokenKind.SYMBOL, TokenKind.KEYWORD)

    def ended(self) -> bool:
        return self.token.kind is TokenKind.END

    def accept(self, text: str) -> Token | None:
        return self.advance() if self.at(text) else None

    def expect(self, text: str, why: str = "") -> Token:
        if not self.at(text):
            raise self.error(f"'{text}'{why}")
        return self.advance()

    def expect_kind(self, kind: TokenKind, expected: str) -> Token:
        if self.token.kind is not kind:
            raise self.error(expected)
        return self.advance()

    def error(self, expected: str, hint: str | None = None) -> JqSyntaxError:
        token = self.token
        message = f"expected {expected}, found {token.describe()}"
        if self.opened and token.kind is TokenKind.END:
            opened = self.opened[-1]
            message += f"; the '{opened.text}' at character {opened.start + 1} is never closed"
        return JqSyntaxError(message, token.start, max(token.end, token.start + 1), hint or self.advice())

    def advice(self) -> str | None:
        """What people usually meant when the parser stops here."""
        token = self.token
        previous = self.tokens[self.index - 1] if self.index else None
        if previous is None:
            return None
        pair = previous.text + token.text if previous.end == token.start else ""
        if pair == "||":
            return "jq writes 'or'"
        if token.text == "=" and previous.text in ("==", "!="):
            return f"jq writes '{previous.text}'"
        if pair == "=<":
            return "jq writes '<='"
        if pair == "=>":
            return "jq writes '>='"
        if token.text in ("==", "!=", "<", "<=", ">", ">="):
            return "comparisons do not chain: put one of them in parentheses"
        if token.kind is TokenKind.KEYWORD and token.text in ("def", "label", "as"):
            return "put it in parentheses"
        if previous.text == "?" and token.kind is not TokenKind.KEYWORD:
            return "jq has no ?: operator; write if … then … else … end"
        if token.kind in (TokenKind.IDENTIFIER, TokenKind.KEYWORD) and previous.text == ".":
            return f"a field follows its dot without a blank: .{token.text}"
        if token.kind is TokenKind.NUMBER and token.text.startswith("."):
            return f'a key that begins with a digit is quoted: ."{token.text[1:]}"'
        if token.kind in (TokenKind.IDENTIFIER, TokenKind.FIELD, TokenKind.NUMBER, TokenKind.STRING_START):
            return "two expressions in a row need an operator, a '|' or a ',' between them"
        return None

    def node(self, node: _AnyNode, start: int) -> _AnyNode:
        """``node``, which has just been made, as standing between ``start`` and the last token read."""
        # Nobody else has seen the node yet, so it is completed in place: a copy of each would take half the time.
        node.__dict__["start"] = start
        node.__dict__["end"] = self.tokens[self.index - 1].end if self.index else start
        return node

    def deeper(self) -> None:
        """Enter a level of nesting; whoever enters leaves by ``self.depth -= 1`` (an error ends the parse)."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise JqSyntaxError(
                f"the expression is nested more than {MAX_DEPTH} levels deep",
                self.token.start,
                self.token.end,
            )

    # -- programs -------------------------------------------------------------------------------------

    def program(self) -> ast.Program:
        module: ast.Node | None = None
        imports: list[ast.Import] = []
        if self.accept("module"):
            module = self.metadata()
            self.expect(";", " after the metadata of a module")
        while self.at("import") or self.at("include"):
            imports.append(self.import_())
        if self.ended():
            raise JqSyntaxError(
                "the expression is empty; consumers cannot compile it"
                if not self.index
                else "expected an expression after the imports",
                0,
                max(1, len(self.text)),
                "write '.' for the input itself",
            )
        body = self.query(top=True)
        if not self.ended():
            raise self.error("an operator or the end of the expression")
        if len(self.tokens) > 2 * MAX_DEPTH and _height(body) > 2 * MAX_DEPTH:
            raise JqSyntaxError("the expression has too many operators in a row", 0, len(self.text))
        return ast.Program(body, tuple(imports), module, start=0, end=len(self.text))

    def import_(self) -> ast.Import:
        start = self.token.start
        included = self.advance().text == "include"
        path = self.string()
        if path.literal is None:
            raise JqSyntaxError("the path of a module is a plain string", path.start, path.end)
        name: str | None = None
        if not included:
            self.expect("as", " and a name after the path of a module")
            if self.token.kind not in (TokenKind.IDENTIFIER, TokenKind.VARIABLE):
                raise self.error("a name for the module")
            name = self.advance().text
        metadata = None if self.at(";") else self.metadata()
        self.expect(";", " after an import")
        return self.node(ast.Import(path, name, metadata), start)

    def metadata(self) -> ast.Node:
        value = self.query()
        if not isinstance(value, ast.Object) or not _is_constant(value):
            raise JqSyntaxError("the metadata of a module is a constant object", value.start, value.end)
        return value

    def query(self, top: bool = False) -> ast.Node:
        self.deeper()
        start = self.token.start
        left = self.alternative_query(top)
        while self.accept(","):
            right = self.alternative_query(False)
            left = self.node(ast.Comma(left, right), start)
        if self.accept("|"):
            right = self.query()
            left = self.node(ast.Pipe(left, right), start)
        self.depth -= 1
        return left

    def alternative_query(self, top: bool) -> ast.Node:
        """A part of a query; a definition, a label or a binding reaches as far right as it can."""
        start = self.token.start
        if self.at("def"):
            definition = self.definition()
            if top and self.token.kind is TokenKind.END:
                raise JqSyntaxError("expected an expression after the definition", definition.start, definition.end)
            return self.node(ast.Define(definition, self.query(top)), start)
        if self.accept("label"):
            name = self.expect_kind(TokenKind.VARIABLE, "a label name such as $out").text[1:]
            self.expect("|", " after a label")
            return self.node(ast.Label(name, self.query()), start)
        left = self.expression(0)
        if self.accept("as"):
            patterns = self.patterns()
            self.expect("|", " and an expression after a binding")
            return self.node(ast.Bind(left, patterns, self.query()), start)
        return left

    def definition(self) -> ast.FunctionDefinition:
        start = self.advance().start
        name = self.expect_kind(TokenKind.IDENTIFIER, "the name of the function").text
        parameters: list[str] = []
        if self.accept("("):
            while True:
                if self.token.kind not in (TokenKind.IDENTIFIER, TokenKind.VARIABLE):
                    raise self.error("the name of a parameter")
                parameters.append(self.advance().text)
                if not self.accept(";"):
                    break
            self.expect(")", " after the parameters")
        self.expect(":", " before the body of the function")
        body = self.query()
        self.expect(";", " after the body of the function")
        return self.node(ast.FunctionDefinition(name, tuple(parameters), body), start)

    # -- expressions ----------------------------------------------------------------------------------

    def expression(self, minimum: int) -> ast.Node:
        start = self.token.start
        left = self.unary()
        while self.token.kind in (TokenKind.SYMBOL, TokenKind.KEYWORD):
            operator = self.token.text
            level, associativity = OPERATORS.get(operator, (0, ""))
            if level <= minimum:
                break
            self.advance()
            self.deeper()
            right = self.expression(level - 1 if associativity == "right" else level)
            self.depth -= 1
            if operator in ASSIGNMENTS:
                left = self.node(ast.Assignment(operator, left, right), start)
            else:
                left = self.node(ast.Binary(operator, left, right), start)
            if associativity == "none" and OPERATORS.get(self.token.text, (0, ""))[0] == level:
                raise self.error("an operator that can follow here")
        return left

    def unary(self) -> ast.Node:
        start = self.token.start
        if self.accept("-"):
            return self.node(ast.Negate(self.operand()), start)
        if self.accept("try"):
            body = self.operand()
            handler = self.operand() if self.accept("catch") else None
            return self.node(ast.Try(body, handler), start)
        return self.term()

    def operand(self) -> ast.Node:
        self.deeper()
        node = self.unary()
        self.depth -= 1
        return node

    def term(self) -> ast.Node:
        start = self.token.start
        node = self.primary()
        levels = 0
        while True:
            token = self.token
            if token.kind is TokenKind.FIELD:
                self.advance()
                node = self.node(ast.Index(node, _name(token, 1)), start)
            elif self.at("?"):
                self.advance()
                node = self.node(ast.Optional(node), start)
            elif self.at("["):
                node = self.node(self.bracket(node, allow_slice=True), start)
            elif self.at("."):
                self.advance()
                if self.token.kind in (TokenKind.STRING_START, TokenKind.FORMAT):
                    node = self.node(ast.Index(node, self.string()), start)
                elif self.at("["):
                    node = self.node(self.bracket(node, allow_slice=False), start)
                else:
                    raise self.error("a field name, a string or '[' after '.'")
            else:
                return node
            levels += 1
            if self.depth + levels > MAX_DEPTH:
                raise JqSyntaxError(f"a path of more than {MAX_DEPTH} steps", start, token.end)

    def bracket(self, target: ast.Node, allow_slice: bool) -> ast.Node:
        opening = self.advance()
        self.opened.append(opening)
        if self.accept("]"):
            self.opened.pop()
            return ast.Iterate(target)
        first: ast.Node | None = None
        if not (allow_slice and self.at(":")):
            first = self.query()
        result: ast.Node
        if allow_slice and self.accept(":"):
            last = None if first is not None and self.at("]") else self.query()
            result = ast.Slice(target, first, last)
        else:
            assert first is not None
            result = ast.Index(target, first)
        self.expect("]")
        self.opened.pop()
        return result

    def primary(self) -> ast.Node:
        token = self.token
        start = token.start
        kind = token.kind
        if kind is TokenKind.FIELD:
            self.advance()
            return self.node(ast.Index(ast.Identity(start=start, end=start + 1), _name(token, 1)), start)
        if kind is TokenKind.NUMBER:
            self.advance()
            return self.node(_number(token.text), start)
        if kind is TokenKind.VARIABLE:
            self.advance()
            return self.node(ast.Variable(token.text[1:]), start)
        if kind is TokenKind.LOCATION:
            self.advance()
            return self.node(ast.Location(), start)
        if kind is TokenKind.IDENTIFIER:
            self.advance()
            if token.text in _WORDS and not self.at("("):
                return self.node(ast.Literal(_WORDS[token.text], text=token.text), start)
            return self.node(ast.Call(token.text, self.arguments()), start)
        if kind is TokenKind.STRING_START:
            return self.string()
        if kind is TokenKind.FORMAT:
            if self.tokens[self.index + 1].kind is TokenKind.STRING_START:
                return self.string()
            self.advance()
            return self.node(ast.Format(token.text[1:]), start)
        if kind in (TokenKind.SYMBOL, TokenKind.KEYWORD):
            parse = _PRIMARIES.get(token.text)
            if parse is not None:
                return parse(self)
        raise self.error("an expression")

    def arguments(self) -> tuple[ast.Node, ...]:
        if not self.at("("):
            return ()
        self.opened.append(self.advance())
        arguments = [self.query()]
        while self.accept(";"):
            arguments.append(self.query())
        self.expect(")", " after the arguments; arguments are separated by ';'")
        self.opened.pop()
        return tuple(arguments)

    def identity(self) -> ast.Node:
        start = self.advance().start
        node: ast.Node = self.node(ast.Identity(), start)
        if self.token.kind in (TokenKind.STRING_START, TokenKind.FORMAT):
            node = self.node(ast.Index(node, self.string()), start)
        return node

    def recursive_descent(self) -> ast.Node:
        start = self.advance().start
        return self.node(ast.RecursiveDescent(), start)

    def group(self) -> ast.Node:
        opening = self.advance()
        self.opened.append(opening)
        inner = self.query()
        self.expect(")")
        self.opened.pop()
        return replace(inner, parenthesised=True)

    def array(self) -> ast.Node:
        opening = self.advance()
        self.opened.append(opening)
        body = None if self.at("]") else self.query()
        self.expect("]")
        self.opened.pop()
        return self.node(ast.Array(body), opening.start)

    def object(self) -> ast.Node:
        opening = self.advance()
        self.opened.append(opening)
        entries: list[ast.ObjectEntry] = []
        while not self.at("}"):
            entries.append(self.entry())
            if not self.accept(","):
                break
        if not self.at("}"):
            raise self.error("',' or '}'", _OBJECT_VALUE if entries and self.token.text in ("as", ":") else None)
        self.advance()
        self.opened.pop()
        return self.node(ast.Object(tuple(entries)), opening.start)

    def entry(self) -> ast.ObjectEntry:
        token = self.token
        start = token.start
        key: ast.Node
        may_stand_alone = True
        if token.kind in (TokenKind.IDENTIFIER, TokenKind.KEYWORD):
            self.advance()
            key = _name(token, 0)
        elif token.kind is TokenKind.VARIABLE:
            self.advance()
            key = self.node(ast.Variable(token.text[1:]), start)
        elif token.kind is TokenKind.LOCATION:
            self.advance()
            return self.node(ast.ObjectEntry(self.node(ast.Location(), start)), start)
        elif token.kind in (TokenKind.STRING_START, TokenKind.FORMAT):
            key = self.string()
        elif self.at("("):
            key = self.group()
            may_stand_alone = False
            if _is_constant(key) and not isinstance(key, ast.String | ast.Binary):
                raise JqSyntaxError("the key of an object is a string", key.start, key.end)
        else:
            raise self.error(
                "a key: a name, a string, a $variable or an expression in parentheses",
                "put a key that is an expression in parentheses" if token.kind is not TokenKind.END else None,
            )
        if may_stand_alone and not self.at(":"):
            return self.node(ast.ObjectEntry(key), start)
        self.expect(":", " after the key")
        return self.node(ast.ObjectEntry(key, self.entry_value()), start)

    def entry_value(self) -> ast.Node:
        # `|` but not `,`, and none of def, label and `as`: those need parentheses here.
        self.deeper()
        start = self.token.start
        left = self.expression(0)
        if self.accept("|"):
            left = self.node(ast.Pipe(left, self.entry_value()), start)
        self.depth -= 1
        return left

    def if_(self) -> ast.Node:
        opening = self.advance()
        self.opened.append(opening)
        branches: list[tuple[ast.Node, ast.Node]] = []
        otherwise: ast.Node | None = None
        while True:
            condition = self.query()
            self.expect("then")
            branches.append((condition, self.query()))
            if not self.accept("elif"):
                break
        if self.accept("else"):
            otherwise = self.query()
            self.expect("end")
        elif not self.accept("end"):
            raise self.error("'elif', 'else' or 'end'")
        self.opened.pop()
        return self.node(ast.If(tuple(branches), otherwise), opening.start)

    def reduce(self) -> ast.Node:
        start = self.advance().start
        source, patterns = self.loop_head()
        initial = self.query()
        self.expect(";", " between the initial value and the update")
        update = self.query()
        self.loop_end()
        return self.node(ast.Reduce(source, patterns, initial, update), start)

    def foreach(self) -> ast.Node:
        start = self.advance().start
        source, patterns = self.loop_head()
        initial = self.query()
        self.expect(";", " between the initial value and the update")
        update = self.query()
        extract = self.query() if self.accept(";") else None
        self.loop_end()
        return self.node(ast.Foreach(source, patterns, initial, update, extract), start)

    def loop_head(self) -> tuple[ast.Node, tuple[ast.Node, ...]]:
        source = self.expression(0)
        self.expect("as", " and a variable after the source of a loop")
        patterns = self.patterns()
        if not self.at("("):
            raise self.error("'(' and the initial value of the loop")
        self.opened.append(self.advance())
        return source, patterns

    def loop_end(self) -> None:
        self.expect(")", " at the end of a loop")
        self.opened.pop()

    def break_(self) -> ast.Node:
        start = self.advance().start
        name = self.expect_kind(TokenKind.VARIABLE, "the name of a label, such as $out").text[1:]
        return self.node(ast.Break(name), start)

    def string(self) -> ast.String:
        start = self.token.start
        form: str | None = None
        if self.token.kind is TokenKind.FORMAT:
            form = self.advance().text[1:]
        self.expect_kind(TokenKind.STRING_START, "a string")
        parts: list[str | ast.Node] = []
        while self.token.kind is not TokenKind.STRING_END:
            token = self.advance()
            if token.kind is TokenKind.STRING_TEXT:
                if parts and isinstance(parts[-1], str):
                    parts[-1] += token.text
                else:
                    parts.append(token.text)
            else:
                parts.append(self.query())
                self.expect_kind(TokenKind.INTERPOLATION_END, "')' at the end of the interpolation")
        self.advance()
        return self.node(ast.String(tuple(parts), form), start)

    # -- patterns -------------------------------------------------------------------------------------

    def patterns(self) -> tuple[ast.Node, ...]:
        patterns = [self.pattern()]
        while self.accept("?//"):
            patterns.append(self.pattern())
        return tuple(patterns)

    def pattern(self) -> ast.Node:
        self.deeper()
        pattern = self.pattern_form()
        self.depth -= 1
        return pattern

    def pattern_form(self) -> ast.Node:
        token = self.token
        start = token.start
        if token.kind is TokenKind.VARIABLE:
            self.advance()
            return self.node(ast.VariablePattern(token.text[1:]), start)
        if self.accept("["):
            items = [self.pattern()]
            while self.accept(","):
                items.append(self.pattern())
            self.expect("]")
            return self.node(ast.ArrayPattern(tuple(items)), start)
        if self.accept("{"):
            entries = [self.pattern_entry()]
            while self.accept(","):
                entries.append(self.pattern_entry())
            self.expect("}")
            return self.node(ast.ObjectPattern(tuple(entries)), start)
        raise self.error("a pattern: $name, […] or {…}")

    def pattern_entry(self) -> ast.PatternEntry:
        token = self.token
        start = token.start
        key: ast.Node
        if token.kind is TokenKind.VARIABLE:
            self.advance()
            key = self.node(ast.VariablePattern(token.text[1:]), start)
            if not self.at(":"):
                return self.node(ast.PatternEntry(key), start)
        elif token.kind in (TokenKind.IDENTIFIER, TokenKind.KEYWORD):
            self.advance()
            key = _name(token, 0)
        elif token.kind in (TokenKind.STRING_START, TokenKind.FORMAT):
            key = self.string()
        elif self.at("("):
            key = self.group()
        else:
            raise self.error("a key of a pattern: $name, a name, a string or an expression in parentheses")
        self.expect(":", " and a pattern after the key")
        return self.node(ast.PatternEntry(key, self.pattern()), start)


_OBJECT_VALUE = "put a value that binds or defines something in parentheses"

_PRIMARIES: dict[str, Callable[[_Parser], ast.Node]] = {
    ".": _Parser.identity,
    "..": _Parser.recursive_descent,
    "(": _Parser.group,
    "[": _Parser.array,
    "{": _Parser.object,
    "if": _Parser.if_,
    "reduce": _Parser.reduce,
    "foreach": _Parser.foreach,
    "break": _Parser.break_,
}


def _name(token: Token, skip: int) -> ast.String:
    """A bare word (a field, a key) as the string it stands for."""
    return ast.String((token.text[skip:],), start=token.start + skip, end=token.end)


def _number(text: str) -> ast.Literal:
    """The value as jq computes with it: integers exactly, everything else as a double."""
    if text.isdigit():
        return ast.Literal(int(text) if len(text) <= 17 else float(text), text=text)
    return ast.Literal(float(text), text=text)


def _is_constant(node: ast.Node) -> bool:
    """Whether jq knows the value before it runs the program (literals and what is built of them)."""
    if isinstance(node, ast.Literal | ast.Location):
        return True
    if isinstance(node, ast.String):
        return node.literal is not None
    if isinstance(node, ast.Array):
        return node.body is None or _is_constant(node.body)
    if isinstance(node, ast.Object):
        return all(
            _is_constant(entry.key) and entry.value is not None and _is_constant(entry.value) for entry in node.entries
        )
    if isinstance(node, ast.Comma):
        return False
    if isinstance(node, ast.Binary):
        return node.operator in "+-*/%" and _is_constant(node.left) and _is_constant(node.right)
    return False


def _height(node: ast.Node) -> int:
    """Levels of the tree, without recursion: operators in a row nest to the left without nesting in the text."""
    height = 0
    level: list[ast.Node] = [node]
    while level:
        height += 1
        level = [child for parent in level for child in parent.children()]
    return height


__all__ = ["ASSIGNMENTS", "KEYWORDS", "MAX_DEPTH", "MAX_LENGTH", "OPERATORS", "JqSyntaxError", "parse"]
