"""The client of pytest-lsp against `ns lsp`; the binary is named by the environment variable NS.

The client reads every answer into the types of the protocol, so an answer of another form fails.
"""

import asyncio
import os
import sys

import pytest
import pytest_lsp
from lsprotocol import types as lsp
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

sys.dont_write_bytecode = True

MODULE = 'DEFINE PROCEDURE Format(when, style: "s")\n  COMMENT: Formats. ENDCOMMENT\n  RETURN when + style\nEND\n'
MAIN = 'USE "dates.ns" AS dates\nSET unread = 1\nFOR EACH entry IN FS.WalkDir(".") DO\n  EMIT entry.name\nEND\nEMIT dates.Format("x")\n'


@pytest_lsp.fixture(
    params=["neovim", "visual_studio_code", "emacs"],
    config=ClientServerConfig(server_command=[os.environ["NS"], "lsp"]),
)
async def client(request, lsp_client: LanguageClient, tmp_path):
    (tmp_path / "dates.ns").write_text(MODULE)
    (tmp_path / "a.ns").write_text(MAIN)
    lsp_client.folder = tmp_path
    # Editors watch files for servers; this client leaves it to its user.
    lsp_client.feature(lsp.CLIENT_REGISTER_CAPABILITY)(lambda params: None)
    capabilities = client_capabilities(request.param)
    commands = ["neuroscript.run", "neuroscript.plan", "neuroscript.test", "neuroscript.debug"]
    capabilities.experimental = {"commands": {"commands": commands}}
    encodings = {"neovim": ["utf-8", "utf-16"], "visual_studio_code": ["utf-16"], "emacs": ["utf-32"]}
    capabilities.general = capabilities.general or lsp.GeneralClientCapabilities()
    capabilities.general.position_encodings = encodings[request.param]
    # Columns of an "é" in the encoding that the server chooses, which is the first that it prefers.
    lsp_client.units = 2 if request.param == "neovim" else 1
    await lsp_client.initialize_session(
        lsp.InitializeParams(
            capabilities=capabilities,
            initialization_options={"inlayHints": {"parameterNames": True}},
            workspace_folders=[lsp.WorkspaceFolder(uri=tmp_path.as_uri(), name="test")],
            root_uri=tmp_path.as_uri(),
        )
    )
    yield
    await lsp_client.shutdown_session()


def document(client):
    return lsp.TextDocumentIdentifier(uri=(client.folder / "a.ns").as_uri())


def place(client, line, character):
    return {"text_document": document(client), "position": lsp.Position(line=line, character=character)}


def open_document(client, text=MAIN):
    item = lsp.TextDocumentItem(uri=document(client).uri, language_id="neuroscript", version=1, text=text)
    client.text_document_did_open(lsp.DidOpenTextDocumentParams(text_document=item))


@pytest.mark.asyncio
async def test_everything_that_is_offered(client: LanguageClient):
    open_document(client)
    await client.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    found = client.diagnostics[document(client).uri]
    assert [finding.code for finding in found] == ["NS0112"]

    completions = await client.text_document_completion_async(lsp.CompletionParams(**place(client, 3, 13)))
    assert [item.label for item in completions.items] == ["isDir", "modTime", "name", "path", "size"]
    signature = await client.text_document_signature_help_async(lsp.SignatureHelpParams(**place(client, 5, 18)))
    assert signature.signatures[0].label == 'dates.Format(when, style: "s")'
    hover = await client.text_document_hover_async(lsp.HoverParams(**place(client, 2, 25)))
    assert "FS.WalkDir" in hover.contents.value
    definition = await client.text_document_definition_async(lsp.DefinitionParams(**place(client, 5, 14)))
    assert definition.uri == (client.folder / "dates.ns").as_uri()
    uses = await client.text_document_references_async(
        lsp.ReferenceParams(**place(client, 5, 14), context=lsp.ReferenceContext(include_declaration=True))
    )
    assert len(uses) == 2
    highlights = await client.text_document_document_highlight_async(
        lsp.DocumentHighlightParams(**place(client, 3, 8))
    )
    assert [highlight.kind for highlight in highlights] == [
        lsp.DocumentHighlightKind.Write, lsp.DocumentHighlightKind.Read,
    ]
    prepared = await client.text_document_prepare_rename_async(lsp.PrepareRenameParams(**place(client, 3, 8)))
    assert prepared.placeholder == "entry"
    renamed = await client.text_document_rename_async(lsp.RenameParams(**place(client, 3, 8), new_name="file"))
    edits = renamed.document_changes[0].edits if renamed.document_changes else renamed.changes[document(client).uri]
    assert len(edits) == 2

    whole = lsp.Range(start=lsp.Position(line=0, character=0), end=lsp.Position(line=6, character=0))
    actions = await client.text_document_code_action_async(
        lsp.CodeActionParams(text_document=document(client), range=whole, context=lsp.CodeActionContext(diagnostics=found))
    )
    assert [action.kind for action in actions] == ["quickfix", "source.fixAll"]
    options = lsp.FormattingOptions(tab_size=2, insert_spaces=True)
    formatted = await client.text_document_formatting_async(
        lsp.DocumentFormattingParams(text_document=document(client), options=options)
    )
    assert list(formatted) == []
    symbols = await client.text_document_document_symbol_async(
        lsp.DocumentSymbolParams(text_document=document(client))
    )
    assert [symbol.name for symbol in symbols] == ["dates", "unread", "entry"]
    found = await client.workspace_symbol_async(lsp.WorkspaceSymbolParams(query="Form"))
    assert found[0].name == "Format"
    folds = await client.text_document_folding_range_async(lsp.FoldingRangeParams(text_document=document(client)))
    assert [(fold.start_line, fold.end_line) for fold in folds] == [(2, 3)]
    selected = await client.text_document_selection_range_async(
        lsp.SelectionRangeParams(text_document=document(client), positions=[lsp.Position(line=3, character=8)])
    )
    assert selected[0].parent is not None
    tokens = await client.text_document_semantic_tokens_full_async(
        lsp.SemanticTokensParams(text_document=document(client))
    )
    assert len(tokens.data) % 5 == 0 and len(tokens.data) > 50
    part = await client.text_document_semantic_tokens_range_async(
        lsp.SemanticTokensRangeParams(text_document=document(client), range=whole)
    )
    assert list(part.data) == list(tokens.data)
    lenses = await client.text_document_code_lens_async(lsp.CodeLensParams(text_document=document(client)))
    assert [lens.command.title for lens in lenses] == ["Run", "Plan", "Debug"]
    hints = await client.text_document_inlay_hint_async(
        lsp.InlayHintParams(text_document=document(client), range=whole)
    )
    assert [hint.label for hint in hints] == ["path:", "when:"]
    edits = await client.text_document_on_type_formatting_async(
        lsp.DocumentOnTypeFormattingParams(
            text_document=document(client), position=lsp.Position(line=3, character=0), ch="\n", options=options
        )
    )
    assert list(edits) == [], "the line is indented already"
    ranged = await client.text_document_range_formatting_async(
        lsp.DocumentRangeFormattingParams(text_document=document(client), range=whole, options=options)
    )
    assert list(ranged) == []


@pytest.mark.asyncio
async def test_edits_and_closing(client: LanguageClient):
    open_document(client, "EMIT 1\n")
    await client.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    assert list(client.diagnostics[document(client).uri]) == []
    change = lsp.TextDocumentContentChangePartial(
        range=lsp.Range(start=lsp.Position(line=0, character=5), end=lsp.Position(line=0, character=6)), text="nope"
    )
    client.text_document_did_change(
        lsp.DidChangeTextDocumentParams(
            text_document=lsp.VersionedTextDocumentIdentifier(uri=document(client).uri, version=2),
            content_changes=[change],
        )
    )
    await client.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    assert [finding.code for finding in client.diagnostics[document(client).uri]] == ["NS0101"]
    client.text_document_did_close(lsp.DidCloseTextDocumentParams(text_document=document(client)))
    await client.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    assert list(client.diagnostics[document(client).uri]) == []


@pytest.mark.asyncio
async def test_requests_that_overtake_each_other(client: LanguageClient):
    """All are sent before the first answer; each gets the answer of its own."""
    open_document(client, MAIN + "EMIT 1\n" * 500)
    asked = [client.text_document_hover_async(lsp.HoverParams(**place(client, 2, 25))) for _ in range(20)]
    asked += [client.text_document_completion_async(lsp.CompletionParams(**place(client, 3, 13))) for _ in range(20)]
    answers = await asyncio.gather(*asked)
    assert all("FS.WalkDir" in hover.contents.value for hover in answers[:20])
    assert all(len(completions.items) == 5 for completions in answers[20:])


@pytest.mark.asyncio
async def test_requests_that_are_taken_back(client: LanguageClient):
    """The server answers cancelled requests and the requests after them."""
    open_document(client, MAIN + "EMIT 1\n" * 2000)
    outcomes = []
    for number in range(10):
        identity = f"hover-{number}"
        future = client.protocol.send_request_async(
            lsp.TEXT_DOCUMENT_HOVER, lsp.HoverParams(**place(client, 2, 25)), msg_id=identity
        )
        outcomes.append(asyncio.ensure_future(future))
        if number % 2:
            client.protocol.notify(lsp.CANCEL_REQUEST, lsp.CancelParams(id=identity))
    answers = await asyncio.gather(*outcomes, return_exceptions=True)
    refused = [answer for answer in answers if isinstance(answer, BaseException)]
    assert all("-32800" in repr(answer) or "taken back" in str(answer) or isinstance(answer, asyncio.CancelledError)
               for answer in refused), refused
    assert len(refused) <= 5
    hover = await client.text_document_hover_async(lsp.HoverParams(**place(client, 2, 25)))
    assert "FS.WalkDir" in hover.contents.value


@pytest.mark.asyncio
async def test_versions_that_go_back(client: LanguageClient):
    open_document(client, "EMIT 1\n")
    await client.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    for version, text, codes in [(7, "EMIT nope\n", ["NS0101"]), (7, "EMIT 2\n", []), (-1, "EMIT a\n", ["NS0101"])]:
        client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(
                text_document=lsp.VersionedTextDocumentIdentifier(uri=document(client).uri, version=version),
                content_changes=[lsp.TextDocumentContentChangeWholeDocument(text=text)],
            )
        )
        await client.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        assert [finding.code for finding in client.diagnostics[document(client).uri]] == codes, text


@pytest.mark.asyncio
async def test_columns_are_those_of_the_encoding(client: LanguageClient):
    open_document(client, 'EMIT "éé", nope\n')
    await client.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    [finding] = client.diagnostics[document(client).uri]
    start = 9 + 2 * client.units
    assert (finding.range.start.character, finding.range.end.character) == (start, start + 4)
    change = lsp.TextDocumentContentChangePartial(range=finding.range, text="1")
    client.text_document_did_change(
        lsp.DidChangeTextDocumentParams(
            text_document=lsp.VersionedTextDocumentIdentifier(uri=document(client).uri, version=2),
            content_changes=[change],
        )
    )
    await client.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    assert list(client.diagnostics[document(client).uri]) == []


@pytest.mark.asyncio
async def test_suggestions_and_definitions(client: LanguageClient):
    open_document(client, "SET total = 1\nEMIT totl\n")
    await client.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    found = client.diagnostics[document(client).uri]
    actions = await client.text_document_code_action_async(
        lsp.CodeActionParams(
            text_document=document(client), range=found[0].range, context=lsp.CodeActionContext(diagnostics=found)
        )
    )
    assert [action.title for action in actions] == ["Replace with `total`"]
